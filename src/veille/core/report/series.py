"""Time series: what each run counted for a source."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """One point of a source's time series: what one run found for it, and what of that was new."""

    run_id: str
    at: int
    #: None when every answer was the last one again, so that nothing was counted.
    found: int | None
    new: int
    changed: int
    failed: int


def carried(counts: list[Count]) -> list[Count]:
    """The counts without gaps: a source that answers exactly as before has found what it had found before."""
    points: list[Count] = []
    for count in counts:
        before = points[-1].found if points else None
        is_unread = count.found is None and not count.failed
        points.append(replace(count, found=before if is_unread else count.found or 0))
    return points
