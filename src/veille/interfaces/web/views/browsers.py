"""Which browser it was, in a few words: what browsers send of themselves is long, and names all others too."""

from __future__ import annotations

import re

#: The first that is named counts: most browsers also claim to be Chrome, Chrome to be Safari, and all to be Mozilla.
_BROWSERS = (
    ("Edge", r"Edg(?:e|A|iOS)?/(\d+)"),
    ("Opera", r"OPR/(\d+)"),
    ("Samsung Internet", r"SamsungBrowser/(\d+)"),
    ("Firefox", r"(?:Firefox|FxiOS)/(\d+)"),
    ("Chrome", r"(?:HeadlessChrome|Chrome|CriOS)/(\d+)"),
    ("Safari", r"Version/(\d+)\S* .*Safari/"),
)
_SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("macOS", "Mac OS X"),
    ("ChromeOS", "CrOS"),
    ("Linux", "Linux"),
)
_LETTERS = 60


def browser(agent: str) -> str:
    """The name of a browser and its system; of what is none, the beginning of what it said.

    >>> browser("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36")
    'Chrome 126 on Linux'
    """
    found = next(((name, match[1]) for name, pattern in _BROWSERS if (match := re.search(pattern, agent))), None)
    if found is None:
        return agent[:_LETTERS] or "unknown"
    system = next((name for name, sign in _SYSTEMS if sign in agent), "")
    return f"{found[0]} {found[1]}" + (f" on {system}" if system else "")
