"""The few elements of a page that are worth a full comparison."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from veille.core.pick.comparing import near
from veille.core.pick.flat import FlatPage
from veille.core.pick.marks import MOST_LABEL, MOST_TEXT, Mark, Marker

#: Elements that are compared in full, and those that are looked at for it.
_MOST_COMPARED: Final = 400
_MOST_LOOKED_AT: Final = 4000


def shortlist(page: FlatPage, marker: Marker, marks: Sequence[Mark]) -> list[int]:
    """The elements that have most in common with any of the marks at first sight."""
    found: set[int] = set()
    most = max(60, _MOST_COMPARED // len(marks))
    looked_at = _looked_at(page, marker, marks)
    for mark in marks:
        found.update(n for _, n in sorted(_at_first_sight(page, marker, mark, looked_at))[:most])
    return sorted(found)


def _looked_at(page: FlatPage, marker: Marker, marks: Sequence[Mark]) -> Sequence[int]:
    """All elements of a usual page; of a very large one, those that have the rarest things in common with a mark."""
    among = page.once(_with_text) if marks[0].text else range(len(page))
    if len(among) <= _MOST_LOOKED_AT:
        return among
    wanted = frozenset(among)
    chosen: set[int] = set()
    shared = [[n for n in some if n in wanted] for some in _in_common(page.once(_Clues), marker, marks)]
    for some in sorted(shared, key=len):
        chosen.update(some[: _MOST_LOOKED_AT - len(chosen)])
    return sorted(chosen)


def _with_text(page: FlatPage) -> list[int]:
    return [n for n in range(len(page)) if page.first[n] < page.last[n]]


class _Clues:
    """The elements of a page by what can be seen of them at once."""

    def __init__(self, page: FlatPage) -> None:
        self._page = page
        self._places = _where(piece[:MOST_LABEL] for piece in page.pieces)
        self.tags = _where(page.tags)

    def beginning(self, texts: Collection[str]) -> list[int]:
        """Those whose first piece is one of these."""
        found = (place for text in texts for place in self._places.get(text[:MOST_LABEL], ()))
        return self._from(place for place in found if self._page.pieces[place][:MOST_TEXT] in texts)

    def behind(self, labels: Collection[str]) -> list[int]:
        """Those right behind one of these pieces."""
        return self._from(place + 1 for label in labels for place in self._places.get(label, ()))

    def before(self, labels: Collection[str]) -> list[int]:
        """Those right before one of these pieces."""
        places = frozenset(place for label in labels for place in self._places.get(label, ()))
        return [n for n, last in enumerate(self._page.last) if last in places]

    def _from(self, places: Iterable[int]) -> list[int]:
        """Those that begin at these pieces: elements are in the order in which they begin."""
        first = self._page.first
        return [
            n for place in sorted(set(places)) for n in range(bisect_left(first, place), bisect_right(first, place))
        ]


def _where(values: Iterable[str]) -> dict[str, list[int]]:
    """The places of each of these values."""
    found: dict[str, list[int]] = {}
    for place, value in enumerate(values):
        found.setdefault(value, []).append(place)
    return found


def _in_common(clues: _Clues, marker: Marker, marks: Sequence[Mark]) -> Iterator[Sequence[int]]:
    """The elements that have something in common with any of the marks, by what that is."""
    yield clues.beginning({text for mark in marks for text in (mark.text, mark.title)} - {""})
    yield clues.behind({mark.before for mark in marks} - {""})
    yield clues.before({mark.after for mark in marks} - {""})
    yield from (clues.tags.get(tag, ()) for tag in dict.fromkeys(mark.tag for mark in marks))
    yield from (marker.all_names.get(name, ()) for name in dict.fromkeys(name for one in marks for name in one.names))


def _at_first_sight(page: FlatPage, marker: Marker, mark: Mark, among: Sequence[int]) -> list[tuple[float, int]]:
    """How little each has in common with a mark, without a call for each: there are thousands."""
    pieces, names = page.pieces, frozenset(mark.names)
    begins = mark.text, mark.title
    found = []
    for n in among:
        first, last = page.first[n], page.last[n]
        same = 2.0 * len(names.intersection(marker.names(n))) + (page.tags[n] == mark.tag)
        same += 2 * (first > 0 and bool(mark.before) and pieces[first - 1].startswith(mark.before))
        same += last < len(pieces) and bool(mark.after) and pieces[last].startswith(mark.after)
        if first < last:
            is_text = pieces[first][:MOST_TEXT] in begins
            same += 3 * (is_text or (bool(mark.text) and mark.text.startswith(pieces[first])))
        found.append((-same - near(mark.size, page.size(n)), n))
    return found
