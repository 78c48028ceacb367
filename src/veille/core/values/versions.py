"""Versions of programs: `3.11.2`, `v2.0-rc1`, `2026.1`, and which one is newer."""

from __future__ import annotations

import re
from itertools import dropwhile
from typing import Final

#: `v2`, or numbers with dots; with a word after them (`rc1`, `-beta.2`, `.post1`, `+build`).
_VERSION: Final = re.compile(
    r"(?<![\w.])(?:(?P<v>[vV])\.?\s?)?(?P<numbers>\d{1,9}(?:\.\d{1,9}){0,6})"
    r"(?P<rest>(?:[-_.+~]?(?:a|b|c|rc|alpha|beta|pre|preview|dev|post|nightly|snapshot|canary|final|ga|lts|p|r|u|build)"
    r"[-_.]?\d{0,9}(?![^\W\d_]))*)(?:\+[\w.]{1,40})?(?![\w.]*@)",
    re.IGNORECASE,
)
_PART: Final = re.compile(r"([a-z]+)[-_.]?(\d*)")
#: What comes before a release, what is the release, and what comes after it.
_STAGES: Final = {
    "dev": -6, "nightly": -6, "snapshot": -6, "canary": -6, "a": -5, "alpha": -5, "b": -4, "beta": -4, "pre": -3,
    "preview": -3, "c": -2, "rc": -2, "final": 0, "ga": 0, "lts": 0, "post": 1, "p": 1, "r": 1, "u": 1, "build": 1,
}  # fmt: skip
VersionKey = tuple[tuple[int, ...], tuple[tuple[int, int], ...]]


def read_version(text: str) -> str:
    """The first version in a text, without its `v`; one with dots, a `v` or a stage wins. Empty if there is none.

    >>> read_version("Python 3.11.2 is out"), read_version("v2.0-rc1"), read_version("none")
    ('3.11.2', '2.0-rc1', '')
    """
    found = list(_VERSION.finditer(text[:400]))
    sure = [match for match in found if "." in match["numbers"] or match["v"] or match["rest"]]
    best = next(iter(sure or found), None)
    return f"{best['numbers']}{best['rest']}" if best else ""


def is_version(text: str) -> bool:
    """Whether a text is nothing but a version that cannot be a plain number: `3.11.2`, `v2`, `2.0-rc1`."""
    match = _VERSION.fullmatch(text.strip())
    return match is not None and bool(match["v"] or match["rest"] or match["numbers"].count(".") > 1)


def version_key(text: str) -> VersionKey | None:
    """A key by which versions sort from old to new; None if it is no version.

    >>> sorted(["1.10", "1.9", "1.10rc1", "1.10.post1"], key=version_key)
    ['1.9', '1.10rc1', '1.10', '1.10.post1']
    """
    match = _VERSION.search(text)
    if match is None:
        return None
    # 1.0 and 1.0.0 are the same version.
    numbers = list(dropwhile(lambda number: number == 0, map(int, reversed(match["numbers"].split(".")))))[::-1]
    stages = [(_STAGES.get(word, 0), int(number or 0)) for word, number in _PART.findall(match["rest"].lower())]
    # A release is newer than what came before it, and older than what comes after it.
    return tuple(numbers), tuple(stage for stage in stages if stage[0]) or ((0, 0),)
