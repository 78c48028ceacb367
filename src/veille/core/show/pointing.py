"""Pointing at a page: its picture, what an element would give, and what is stored of the elements that were picked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from veille.core.extract import Options, Page
from veille.core.extract.tree.prescan import hostile
from veille.core.models import Json
from veille.core.pick.alike import item_selector
from veille.core.pick.finding import find_part, is_vague, part_of
from veille.core.pick.flat import FlatPage
from veille.core.pick.part import PagePart
from veille.core.pick.selector import selector_of
from veille.core.pick.snapshot import snapshot_of
from veille.errors import ConfigError, ReadError

#: Parts to choose from without a script, and characters of their texts.
_MOST_CHOICES: Final = 60
_MOST_TEXT: Final = 4000
_SHORT: Final = 120
_MOST_BYTES: Final = 5_000_000
_MOST_ELEMENTS: Final = 150_000
_CHOICES: Final = frozenset("main article section table dl ul ol h1 h2 td dd p time form".split())


@dataclass(frozen=True, slots=True, kw_only=True)
class PartSeen:
    """An element as it would be watched."""

    n: int
    tag: str
    text: str
    selector: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The picture of a page, what was left out of it, and some of its parts to choose from."""

    markup: str
    left_out: int
    choices: tuple[PartSeen, ...] = ()
    #: The parts that are picked already, and those that are ignored.
    taken: tuple[int, ...] = ()
    ignored: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PickedOptions:
    """Options of a source that watches what was picked."""

    options: Json


def flat_page(body: bytes, charset: str) -> FlatPage:
    """The elements of a page; ReadError if it is too large, or made to be slow to read."""
    if len(body) > _MOST_BYTES:
        raise ReadError(
            f"The page is larger than {_MOST_BYTES // 1_000_000} MB: nothing on it can be pointed at.", code="too_large"
        )
    page = Page(body, "", Options(charset=charset))
    if hostile(page.data):
        raise ReadError(
            "The page is nested too deeply, or has far too many attributes: nothing on it can be pointed at.",
            code="simplified",
        )
    found = FlatPage(page.tree)
    if len(found) > _MOST_ELEMENTS:
        raise ReadError(
            f"The page has more than {_MOST_ELEMENTS:,} elements: nothing on it can be pointed at. What is wanted of "
            "it can be named by a selector.",
            code="too_large",
        )
    if not len(found):
        raise ReadError("There is nothing on the page to point at.", code="empty")
    return found


def pictured(body: bytes, charset: str, taken: Sequence[PagePart] = (), ignored: Sequence[PagePart] = ()) -> Snapshot:
    """The picture of a page."""
    page = flat_page(body, charset)
    markup, left_out = snapshot_of(page)
    return Snapshot(
        markup=markup,
        left_out=left_out,
        choices=tuple(_choices(page)),
        taken=tuple(n for part in taken if (n := find_part(page, part).n) is not None),
        ignored=tuple(n for part in ignored if (n := find_part(page, part).n) is not None),
    )


def part_seen(body: bytes, charset: str, n: int) -> PartSeen:
    """What an element is, and what it would give."""
    page = flat_page(body, charset)
    _refuse_unknown(page, (n,))
    return _seen(page, n, selector_of(page, n))


def parts_taken(body: bytes, charset: str, take: Sequence[int], leave: Sequence[int]) -> PickedOptions:
    """The options of a source that watches these elements, without those."""
    page = flat_page(body, charset)
    _refuse_unknown(page, (*take, *leave))
    if not take and not leave:
        raise ConfigError("Point at a part of the page first.", code="no_part")
    both = [n for n in take if any(page.holds(one, n) for one in leave)]
    if both:
        raise ConfigError(
            f"{page.text(both[0], 60)!r} cannot be watched and ignored: take it out of one of both.", code="no_part"
        )
    made = {"parts": take, "without": leave}
    return PickedOptions(
        options={name: [_option(page, n) for n in sorted(set(some))] for name, some in made.items() if some}
    )


def _option(page: FlatPage, n: int) -> Json:
    """What is stored of an element; ConfigError if it would not be found again."""
    option = part_of(page, n).model_dump(mode="json", exclude_defaults=True)
    part = PagePart.model_validate(option)
    if is_vague(part) or find_part(page, part).n is None:
        raise ConfigError(
            f"There is another part just like {part.text[:60]!r}, so that it could not be told apart later. Point at a "
            "larger part around it.",
            code="vague_part",
        )
    return option


def items_taken(body: bytes, charset: str, marked: Sequence[int]) -> PickedOptions:
    """The options of a source whose items are like the marked ones."""
    page = flat_page(body, charset)
    _refuse_unknown(page, marked)
    return PickedOptions(options={"item": item_selector(page, marked)})


def _refuse_unknown(page: FlatPage, numbers: Sequence[int]) -> None:
    if any(not 0 <= n < len(page) for n in numbers):
        raise ConfigError("The page has no such part: make a new preview of it.", code="no_part")


def _seen(page: FlatPage, n: int, selector: str = "", most: int = _MOST_TEXT) -> PartSeen:
    return PartSeen(n=n, tag=page.tags[n], text=page.text(n, most), selector=selector)


def _choices(page: FlatPage) -> list[PartSeen]:
    """Parts that are likely to be wanted, in their order."""
    found: list[PartSeen] = []
    for n, tag in enumerate(page.tags):
        if len(found) >= _MOST_CHOICES:
            break
        if tag in _CHOICES and page.first[n] < page.last[n]:
            found.append(_seen(page, n, most=_SHORT))
    return found
