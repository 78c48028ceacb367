"""A visit to a page with a browser, and what it brings besides the page: values for the fetcher."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from veille.core.browsing.logins import KeptLogin
from veille.core.browsing.steps import BrowserStep

#: Pictures are at most this large, in pixels: the width of the window, and the height at which they are cut.
WINDOW: Final = (1280, 800)
MOST_HEIGHT: Final = 10_000
#: As many elements are offered for the next step.
MOST_BOXES: Final = 300

#: What is typed for a text with references, on a page at an address; VeilleError if that page must not get a secret.
Typing = Callable[[str, str], str]


def _plain(text: str, address: str) -> str:
    del address
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureWish:
    """A picture to take of a page, or of the first element that a selector finds."""

    selector: str = ""
    #: CSS selectors of parts that are covered: counters, advertisements.
    covered: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageVisit:
    """What a browser does on a page before it is read, and what it keeps of it."""

    steps: tuple[BrowserStep, ...] = ()
    typed: Typing = field(default=_plain, repr=False)
    #: Values of secrets: nothing that the visit brings has them in it.
    secrets: tuple[str, ...] = field(default=(), repr=False)
    picture: PictureWish | None = None
    #: The login of earlier visits, if it is to be kept.
    login: KeptLogin | None = None
    #: Whether the elements that a next step could use are wanted, and a picture of the window.
    records: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """An element in a picture of the window that a next step could use."""

    x: int
    y: int
    width: int
    height: int
    #: What it is for a person: `button Log in`.
    name: str
    #: The step that uses it, as its line; one that types or chooses lacks the text after its ` = `.
    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """A picture as the browser took it."""

    png: bytes = field(repr=False)
    boxes: tuple[Box, ...] = ()
    #: What it is compared with: the picture of the last revision, and the first one of the change, if any.
    kept: bytes = field(default=b"", repr=False)
    first: bytes = field(default=b"", repr=False)
