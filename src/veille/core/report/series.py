"""Time series of a source: the counts of each run."""

from __future__ import annotations

from dataclasses import dataclass, replace


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


def carried(counts: list[Count]) -> list[Count]:
    """Fill gaps in the counts: if the answers did not change, the previous count still holds."""
    points: list[Count] = []
    for count in counts:
        before = points[-1].found if points else None
        is_unread = count.found is None and not count.failed
        points.append(replace(count, found=before if is_unread else count.found or 0))
    return points
