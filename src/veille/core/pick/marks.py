"""What an element is known by: its names, the words around it, its content and its place, independent of each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import Final

from pydantic import Field

from veille.core.models import StrictModel
from veille.core.pick.flat import HEADINGS, FlatPage
from veille.core.pick.names import names_of
from veille.core.pick.shapes import shape_of

#: Characters of a text, a label and a title that are kept.
MOST_TEXT: Final = 400
MOST_LABEL: Final = 100
#: Levels of named ancestors, and of items around an element.
_MOST_PATH: Final = 6
_MOST_LEVELS: Final = 4
LANDMARKS: Final = frozenset("main nav aside footer header form dialog".split())
_ROLES: Final = {
    "main": "main",
    "navigation": "nav",
    "complementary": "aside",
    "contentinfo": "footer",
    "banner": "header",
    "form": "form",
    "dialog": "dialog",
    "search": "form",
}
#: Elements that name themselves if a page has one only.
_SOLE: Final = LANDMARKS | frozenset("h1 table dl time article".split())
_REGIONS: Final = LANDMARKS | {"body"}
_CELLS: Final = frozenset({"td", "th"})
_TITLES: Final = frozenset({"th", "dt", "a", "strong", "b"})
#: Elements of an item that are looked through for its title.
_MOST_LOOKED: Final = 60

Label = Field("", max_length=MOST_TEXT)


class Mark(StrictModel):
    """The marks of one element. Empty ones say nothing."""

    tag: str = Field(max_length=100)
    #: Its own lasting names, and those of the elements around it, the nearest first.
    names: tuple[str, ...] = Field((), max_length=60)
    path: tuple[str, ...] = Field((), max_length=60)
    #: The elements around it.
    tags: tuple[str, ...] = Field((), max_length=60)
    landmark: str = Field("", max_length=20)
    #: The pieces of text before and after it, the heading above it, and the header of its column.
    before: str = Label
    after: str = Label
    heading: str = Label
    column: str = Label
    #: The title of the nearest element around it; those of the items it is in (a row, a card); and its own.
    label: str = Label
    within: tuple[str, ...] = Field((), max_length=_MOST_LEVELS)
    title: str = Label
    #: Where it links to.
    link: str = Field("", max_length=2000)
    text: str = Field("", max_length=MOST_TEXT)
    shape: str = Field("", max_length=20)
    size: int = 0
    #: Its place among its like, from 1, and how many they are.
    place: int = 1
    of: int = 1
    #: Whether no element beside it has its tag and its names.
    lone: bool = False


class Marker:
    """Takes the marks of the elements of one page."""

    def __init__(self, page: FlatPage) -> None:
        self._page = page
        self._tags = Counter(page.tags)
        self._names: dict[int, tuple[str, ...]] = {}
        self._titles: dict[int, list[tuple[int, int]]] = {}
        self._made: dict[int, Mark] = {}

    def names(self, n: int) -> tuple[str, ...]:
        """The lasting names of an element."""
        found = self._names.get(n)
        if found is None:
            tag = self._page.tags[n]
            sole = (f"<{tag}>",) if tag in _SOLE and self._tags[tag] == 1 else ()
            found = self._names[n] = (*names_of(self._page.attributes[n]), *sole)
        return found

    @cached_property
    def all_names(self) -> dict[str, list[int]]:
        """The lasting names of all elements, in their order, with the elements that have them."""
        found: dict[str, list[int]] = {}
        for n in range(len(self._page)):
            for name in self.names(n):
                found.setdefault(name, []).append(n)
        return found

    @cached_property
    def all_landmarks(self) -> frozenset[str]:
        """The landmarks that the page has."""
        return frozenset(map(self.landmark, range(len(self._page))))

    def mark(self, n: int) -> Mark:
        """The marks of an element."""
        found = self._made.get(n)
        if found is None:
            found = self._made[n] = self._mark(n)
        return found

    def _mark(self, n: int) -> Mark:
        page = self._page
        above = page.above(n)
        place, of = page.place(n)
        text = page.text(n, MOST_TEXT)
        named = [name for one in above[:-1] for name in self.names(one)]
        return Mark(
            tag=page.tags[n],
            names=self.names(n)[:60],
            path=tuple(dict.fromkeys(named))[: _MOST_PATH * 3],
            tags=tuple(page.tags[one] for one in above[:60]),
            landmark=self._landmark(n, above),
            before=self._piece(page.first[n] - 1),
            after=self._piece(page.last[n]),
            heading=self._heading(n),
            column=self._column(n, above),
            label=self._label(n, above),
            within=self._within(n, above),
            title=self._own_title(n),
            link=self._link(n),
            text=text,
            shape=shape_of(text),
            size=page.size(n),
            place=place,
            of=of,
            lone=of == 1 or self._is_lone(n),
        )

    def _piece(self, place: int) -> str:
        pieces = self._page.pieces
        return pieces[place][:MOST_LABEL] if 0 <= place < len(pieces) else ""

    def landmark(self, n: int) -> str:
        """The landmark that an element is by itself; empty if it is none."""
        tag = self._page.tags[n]
        return _ROLES.get(self._page.attributes[n].get("role") or "") or (tag if tag in LANDMARKS else "")

    def _landmark(self, n: int, above: list[int]) -> str:
        return next(filter(None, map(self.landmark, (n, *above))), "")

    def _heading(self, n: int) -> str:
        page = self._page
        low, high = 0, len(page.headings)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if page.headings[middle] < n else (low, middle)
        # A heading that the element is in says nothing about where it is.
        for one in reversed(page.headings[max(0, low - 3) : low]):
            if not page.holds(one, n):
                return page.text(one, MOST_LABEL)
        return ""

    def _column(self, n: int, above: list[int]) -> str:
        page = self._page
        cell = next((one for one in (n, *above) if page.tags[one] in _CELLS), None)
        table = next((one for one in above if page.tags[one] == "table"), None)
        if cell is None or table is None or page.tags[page.parents[cell]] != "tr":
            return ""
        row = page.parents[cell]
        place = [one for one in page.children[row] if page.tags[one] in _CELLS].index(cell)
        head = next((one for one in range(table, page.ends[table]) if page.tags[one] == "tr"), row)
        cells = [one for one in page.children[head] if page.tags[one] in _CELLS]
        if head == row or place >= len(cells) or page.tags[cells[-1]] != "th":
            return ""
        return page.text(cells[place], MOST_LABEL)

    def _is_lone(self, n: int) -> bool:
        page = self._page
        beside = page.children[page.parents[n]][:_MOST_LOOKED]
        return all(one == n or page.tags[one] != page.tags[n] or self.names(one) != self.names(n) for one in beside)

    def _label(self, n: int, above: list[int]) -> str:
        for one in above[:3]:
            if self._page.tags[one] in _REGIONS:
                break
            if title := self._title(one, n):
                return title
            if self._page.place(one)[1] > 1:
                break
        return ""

    def _within(self, n: int, above: list[int]) -> tuple[str, ...]:
        found: list[str] = []
        page = self._page
        for one in above:
            if len(found) >= _MOST_LEVELS:
                break
            if page.place(one)[1] > 1 and (title := self._title(one, n)) and title not in found:
                found.append(title)
        return tuple(found)

    def titles_around(self, n: int) -> dict[str, tuple[str, ...]]:
        """All that may be the title of each item that an element is in, by the one that is taken for it."""
        items = [one for one in self._page.above(n) if self._page.place(one)[1] > 1]
        found = [tuple(self._possible(one, n)) for one in items[: 2 * _MOST_LEVELS]]
        return {titles[0]: titles for titles in reversed(found) if titles}

    def _title(self, item: int, without: int) -> str:
        """The title of an item: its first heading, head cell or link, or its first words; not in the element itself."""
        page = self._page
        for title in self._possible(item, without):
            return title
        return self._piece(page.first[item]) if page.first[item] < page.first[without] else ""

    def _possible(self, item: int, without: int) -> Iterator[str]:
        page = self._page
        if item not in self._titles:
            self._titles[item] = self._titled(item)
        start, end = page.first[without], page.last[without]
        for first, last in self._titles[item]:
            if last <= start or first >= end:
                yield " ".join(page.pieces[first:last])[:MOST_LABEL]

    def _titled(self, item: int) -> list[tuple[int, int]]:
        """The pieces of its possible titles, the best first."""
        page = self._page
        inner = range(item + 1, min(page.ends[item], item + _MOST_LOOKED))
        kinds = (HEADINGS, _TITLES)
        found = [
            one for names in kinds for one in inner if page.tags[one] in names and page.first[one] < page.last[one]
        ]
        spans = [(page.first[one], page.last[one]) for one in found]
        # A bold price is no title.
        spans = [(first, last) for first, last in spans if any(map(str.isalpha, "".join(page.pieces[first:last])))]
        return spans[:3] or [(page.first[item], min(page.first[item] + 1, page.last[item]))]

    def _own_title(self, n: int) -> str:
        page = self._page
        if page.last[n] - page.first[n] < 2:  # noqa: PLR2004 - one piece is its whole text
            return ""
        if n not in self._titles:
            self._titles[n] = self._titled(n)
        first, last = self._titles[n][0]
        return " ".join(page.pieces[first:last])[:MOST_LABEL]

    def _link(self, n: int) -> str:
        page = self._page
        for one in range(n, min(page.ends[n], n + _MOST_LOOKED)):
            if page.tags[one] == "a" and (link := page.attributes[one].get("href")):
                return link.strip()[:2000]
        above = next((one for one in page.above(n)[:4] if page.tags[one] == "a"), None)
        return (page.attributes[above].get("href") or "").strip()[:2000] if above is not None else ""
