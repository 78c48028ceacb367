"""Statistics of a dossier and time series of a source, as values for charts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from veille.core.schedule import DAY, HOUR


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckCounts:
    """Numbers of requests and answers, and of the changes found."""

    #: All requests; those answered with "not modified"; those that failed.
    asked: int = 0
    not_modified: int = 0
    failed: int = 0
    #: Bytes over the wire, and those that "not modified" saved.
    bytes: int = 0
    saved: int = 0
    #: Milliseconds of all requests together.
    duration_ms: int = 0
    new: int = 0
    changed: int = 0
    removed: int = 0
    duplicates: int = 0

    def __add__(self, other: CheckCounts) -> CheckCounts:
        return CheckCounts(**{name: getattr(self, name) + getattr(other, name) for name in self.__slots__})


@dataclass(frozen=True, slots=True, kw_only=True)
class Stock:
    """Current numbers and sizes."""

    documents: int
    #: Documents with the same text as another, and documents with the same story as another in other words.
    duplicates: int
    retold: int
    revisions: int
    #: Bytes of the file, and of the search index in it.
    file_bytes: int
    index_bytes: int


def week_of(times: Iterable[int]) -> list[list[int]]:
    """How many of these times fall into each hour of each day of the week, Monday first, in UTC."""
    counts = [[0] * 24 for _ in range(7)]
    for at in times:
        # 1 January 1970 was a Thursday.
        counts[(at // DAY + 3) % 7][at % DAY // HOUR] += 1
    return counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """One point of a source's time series: how much one run found, and how much of it was new."""

    run_id: str
    at: int
    #: None if no answer changed, so that nothing was counted.
    found: int | None
    new: int
    changed: int
    failed: int
    removed: int = 0


def carried(counts: list[Count]) -> list[Count]:
    """Fill gaps in the counts: if the answers did not change, the previous count still holds."""
    points: list[Count] = []
    for count in counts:
        before = points[-1].found if points else None
        is_unread = count.found is None and not count.failed and not count.removed
        points.append(replace(count, found=before if is_unread else count.found or 0))
    return points
