"""Hidden elements: left out if no reader ever sees them, kept if a click or a script would show them."""

from __future__ import annotations

import re
import sys
from typing import Final

_GONE: Final = re.compile(
    r"display\s*:\s*none|font-size\s*:\s*0(?![.\d]*[1-9])|(?:left|top|text-indent)\s*:\s*-\d{4,}", re.IGNORECASE
)
_VEILED: Final = re.compile(r"visibility\s*:\s*hidden|opacity\s*:\s*0(?![.\d]*[1-9])", re.IGNORECASE)
# What a click shows is content, not a trick: closed tabs and accordions. These names and the two rules of `least_text`
# cover all but a handful of the hidden boxes in the wcxb sample that people counted as content.
_FOLDED: Final = re.compile(
    r"accordion|collaps|(?:^|[-_\s])(?:tabs?|tab-?panel|panel|pane|toggle|faq|answer|expand\w*|content|disclosure|read-?more)(?:[-_\s]|$)",
    re.IGNORECASE,
)
_STREAMED: Final = re.compile(r"S:[0-9a-f]+")
#: Opacity or visibility that hides this many characters means a page that waits for its script, not a trick.
_VEIL_CHARS: Final = 1001
NEVER: Final = sys.maxsize


def visible(attributes: dict[str, str | None]) -> bool:
    """Whether the element's own attributes keep it visible."""
    if "hidden" in attributes or attributes.get("aria-hidden") == "true":
        return False
    style = attributes.get("style")
    return not (style and (_GONE.search(style) or _VEILED.search(style)))


def least_text(attributes: dict[str, str | None]) -> int:
    """How many characters an element must hold to be read: 0 if it is not hidden, NEVER if nothing would show it.

    Content that the page streams in, unfolds on a click or fades in counts as shown.
    """
    if visible(attributes):
        return 0
    name = attributes.get("id") or ""
    if _STREAMED.fullmatch(name) or attributes.get("role") == "tabpanel":
        return 0
    style = attributes.get("style") or ""
    if "hidden" not in attributes and _VEILED.search(style) and not _GONE.search(style):
        return 0 if "transform" in style else _VEIL_CHARS
    if "font-size" in style or "-9" in style:
        return NEVER
    return 0 if _FOLDED.search(f"{attributes.get('class') or ''} {name}") else NEVER
