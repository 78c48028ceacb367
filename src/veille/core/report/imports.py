"""Lists of feeds that were taken in, and what became of their entries: reports, to be read again later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

#: Entries of a list that are taken in at once; what comes after them is reported as left out. Ten dossiers full.
MOST_ENTRIES: Final = 10_000
#: Entries that a report names, those that cannot be watched first; the rest is counted.
NAMED: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What became of one entry of a list."""

    url: str
    name: str
    dossier_id: str
    #: Empty when it is watched now; `duplicate_source` when it was already; else why it cannot be.
    code: str = ""
    message: str = ""

    @property
    def is_bad(self) -> bool:
        return self.code not in {"", "duplicate_source"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """A list that somebody had taken in, as far as it came."""

    id: str
    user_id: str
    begun_at: int
    #: None while it is under way.
    ended_at: int | None = None
    #: Entries of the list; those that were looked at, those that are watched since, those that cannot be.
    total: int
    count: int = 0
    added: int = 0
    bad: int = 0
    entries: tuple[Taken, ...] = ()
    #: Why it did not come to its end.
    problem: str = ""

    def with_entries(self, taken: Sequence[Taken]) -> ImportReport:
        """The report when these were looked at."""
        return replace(
            self,
            count=len(taken),
            added=sum(not one.code for one in taken),
            bad=sum(one.is_bad for one in taken),
            entries=tuple(sorted(taken, key=lambda one: not one.is_bad)[:NAMED]),
        )

    @property
    def left_out(self) -> int:
        """Entries that are counted, and not named."""
        return self.count - len(self.entries)
