"""Lists of changes for people, as values: filters, cursors, and rows made of changes before pages are cut.

Changes of one story, or of one document, on one day are one row; so are those of a source that has very many.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from heapq import merge
from typing import Final, NamedTuple

#: A source with more rows than this on one day is folded into one, if there are others.
NOISY: Final = 6
_CURSOR: Final = re.compile(r"[uoai](?:\.[0-9a-f]{1,12}-[0-9a-z]{1,12})*")
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
#: Letters of a dossier's id in a cursor: its end is random.
_NAME: Final = 12


class Which(StrEnum):
    """Which changes a list has."""

    #: The last change of each document that the user has not read.
    UNREAD = "unread"
    #: All but those.
    OTHERS = "others"
    ALL = "all"
    #: Of documents that a rule found, or that the user keeps.
    IMPORTANT = "important"


class Folding(StrEnum):
    """Which sources are folded into one row."""

    NONE = "none"
    NOISY = "noisy"
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeFilter:
    """Which changes of a dossier, for which user."""

    user_id: str
    which: Which = Which.ALL
    #: Empty for all.
    source_id: str = ""
    #: Only what has this tag; empty for all.
    tag: str = ""
    #: Only changes from this number on; 0 for all.
    since: int = 0


class ChangeLine(NamedTuple):
    """A change in a list, without its content. A page looks at hundreds, so they are tuples."""

    seq: int
    at: int
    source_id: str
    document_id: str
    #: The id of its story; of its document if that is in none.
    story: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeWindow:
    """The next changes of a dossier, newest first, and the number that later windows are below; 0 at the end."""

    dossier_id: str
    lines: Sequence[ChangeLine]
    following: int


@dataclass(slots=True, kw_only=True)
class RowGroup:
    """The changes of one row, newest first."""

    dossier_id: str
    lines: list[ChangeLine] = field(default_factory=list)
    is_fold: bool = False


@dataclass(frozen=True, slots=True)
class RowCursor:
    """How far a list was shown: the part of it, and for each dossier the number that is next below; 0 at its end."""

    which: Which
    #: By the ends of dossier ids.
    places: Mapping[str, int] = field(default_factory=dict)

    def before(self, dossier_id: str) -> int | None:
        """The number that the next changes are below; None at the beginning."""
        return self.places.get(_short(dossier_id))

    def moved(self, places: Mapping[str, int]) -> RowCursor:
        """The cursor with other places of these dossiers."""
        return RowCursor(self.which, {**self.places, **{_short(one): seq for one, seq in places.items()}})

    def __str__(self) -> str:
        return ".".join([self.which.value[0], *(f"{one}-{_based(seq)}" for one, seq in self.places.items())])


def row_cursor(text: str) -> RowCursor | None:
    """The cursor that was written so; None if it is none."""
    if not _CURSOR.fullmatch(text):
        return None
    first, *places = text.split(".")
    which = next(one for one in Which if one.value[0] == first)
    return RowCursor(which, {name: int(seq, 36) for name, _, seq in (one.partition("-") for one in places)})


def arranged(
    windows: Sequence[ChangeWindow],
    limit: int,
    day: Callable[[int], object],
    folding: Folding = Folding.NOISY,
) -> tuple[list[RowGroup], dict[str, int]]:
    """The rows of one page, and for each dossier where the next page begins; 0 at its end.

    Rows are made until there are enough, or until the changes of some dossier are used up and others could be newer.
    What follows at once and belongs to one of them is still taken.
    """
    noisy = _noisy(windows, day) if folding is Folding.NOISY else set()
    groups: dict[object, RowGroup] = {}
    taken: dict[str, int] = defaultdict(int)
    left = {window.dossier_id: (len(window.lines), window.following) for window in windows}
    held: set[str] = set()
    is_full = any(not lines and following for lines, following in left.values())
    for dossier_id, line in merge(*map(_named, windows), key=lambda one: -one[1].at):
        if dossier_id in held:
            continue
        is_fold = folding is Folding.ALL or (dossier_id, line.source_id, day(line.at)) in noisy
        when = None if folding is Folding.ALL else day(line.at)
        key = (dossier_id, when, is_fold, line.source_id if is_fold else line.story)
        if key not in groups:
            if is_full or len(groups) >= limit:
                held.add(dossier_id)
                continue
            groups[key] = RowGroup(dossier_id=dossier_id, is_fold=is_fold)
        groups[key].lines.append(line)
        taken[dossier_id] += 1
        lines, following = left[dossier_id]
        is_full = is_full or (taken[dossier_id] == lines and bool(following))
    return list(groups.values()), {window.dossier_id: _next(window, taken[window.dossier_id]) for window in windows}


def _named(window: ChangeWindow) -> Iterable[tuple[str, ChangeLine]]:
    return ((window.dossier_id, line) for line in window.lines)


def _noisy(windows: Iterable[ChangeWindow], day: Callable[[int], object]) -> set[tuple[str, str, object]]:
    """Dossier, source and day of sources with very many rows, if there are other sources."""
    rows: dict[tuple[str, str, object], set[str]] = defaultdict(set)
    for window in windows:
        for line in window.lines:
            rows[window.dossier_id, line.source_id, day(line.at)].add(line.story)
    is_alone = len({(dossier_id, source_id) for dossier_id, source_id, _ in rows}) < 2  # noqa: PLR2004
    return set() if is_alone else {key for key, stories in rows.items() if len(stories) > NOISY}


def _next(window: ChangeWindow, taken: int) -> int:
    if taken == len(window.lines):
        return window.following
    # Nothing of it was shown: its next page begins where this one did.
    return window.lines[taken - 1].seq if taken else window.lines[0].seq + 1


def _short(dossier_id: str) -> str:
    return "".join(letter for letter in dossier_id.lower() if letter in "0123456789abcdef")[-_NAME:] or "0"


def _based(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits or "0"
