"""The few elements of a page that are worth a full comparison."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
        ranked = sorted((-_at_first_sight(page, marker, mark, n), n) for n in looked_at)
        found.update(n for _, n in ranked[:most])
    return sorted(found)


def _looked_at(page: FlatPage, marker: Marker, marks: Sequence[Mark]) -> Sequence[int]:
    """All elements of a usual page; of a very large one, those that have the rarest things in common with a mark."""
    has_text = [n for n in range(len(page)) if page.first[n] < page.last[n] or not marks[0].text]
    if len(has_text) <= _MOST_LOOKED_AT:
        return has_text
    sets: dict[str, list[int]] = {}
    for n, clue in _clues(page, marker, marks, has_text):
        sets.setdefault(clue, []).append(n)
    chosen: set[int] = set()
    for some in sorted(sets.values(), key=len):
        chosen.update(some[: _MOST_LOOKED_AT - len(chosen)])
    return sorted(chosen)


def _clues(page: FlatPage, marker: Marker, marks: Sequence[Mark], among: Sequence[int]) -> Iterator[tuple[int, str]]:
    """Each element with what it has in common with any of the marks."""
    texts, before, after, tags = (
        frozenset(getattr(mark, name) for mark in marks for name in kind.split()) - {""}
        for kind in ("text title", "before", "after", "tag")
    )
    names = frozenset(name for mark in marks for name in mark.names)
    pieces = ["", *page.pieces, ""]
    for n in among:
        # By one more, as there is nothing before the first piece.
        first, last = page.first[n], page.last[n] + 1
        if first + 1 < last and pieces[first + 1][:MOST_TEXT] in texts:
            yield n, "text"
        if pieces[first][:MOST_LABEL] in before:
            yield n, "before"
        if pieces[last][:MOST_LABEL] in after:
            yield n, "after"
        if page.tags[n] in tags:
            yield n, page.tags[n]
        yield from ((n, name) for name in marker.names(n) if name in names)


def _at_first_sight(page: FlatPage, marker: Marker, mark: Mark, n: int) -> float:
    first, last = page.first[n], page.last[n]
    same = sum(name in mark.names for name in marker.names(n)) * 2.0 + (page.tags[n] == mark.tag)
    same += 2 * (first > 0 and bool(mark.before) and page.pieces[first - 1].startswith(mark.before))
    same += last < len(page.pieces) and bool(mark.after) and page.pieces[last].startswith(mark.after)
    if first < last:
        piece = page.pieces[first]
        is_text = bool(piece) and piece[:MOST_TEXT] in (mark.text, mark.title)
        same += 3 * (is_text or (bool(mark.text) and mark.text.startswith(piece)))
    return same + near(mark.size, page.size(n))
