"""Reports about imports of feed lists, with the result for each entry; stored to be read later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

#: Maximum number of entries per import; further ones are reported as left out. Enough to fill ten dossiers.
MOST_ENTRIES: Final = 10_000
#: Maximum number of entries listed in a report, those that cannot be watched first; the rest is only counted.
NAMED: Final = 300
#: Reports of a dossier that are kept; the sources themselves stay anyway.
KEPT_IMPORTS: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """The result for one entry of a list."""

    url: str
    name: str
    dossier_id: str
    #: Empty if it was added; `duplicate_source` if it was already watched; else why it cannot be.
    code: str = ""
    message: str = ""

    @property
    def is_bad(self) -> bool:
        return self.code not in {"", "duplicate_source"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """The import of a list by a user, and its progress."""

    id: str
    user_id: str
    begun_at: int
    #: None while it is in progress.
    ended_at: int | None = None
    #: Entries of the list; entries processed, added, and those that cannot be watched.
    total: int
    count: int = 0
    added: int = 0
    bad: int = 0
    entries: tuple[Taken, ...] = ()
    #: Why it was not completed.
    problem: str = ""

    def with_entries(self, taken: Sequence[Taken]) -> ImportReport:
        """The report after these entries were processed."""
        return replace(
            self,
            count=len(taken),
            added=sum(not one.code for one in taken),
            bad=sum(one.is_bad for one in taken),
            entries=tuple(sorted(taken, key=lambda one: not one.is_bad)[:NAMED]),
        )

    @property
    def left_out(self) -> int:
        """Number of entries that are counted, but not listed."""
        return self.count - len(self.entries)
