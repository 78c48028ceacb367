"""The lines of a run's report that a plan gives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from veille.core.models import Change, Notice, Plan


class ReportedLine(NamedTuple):
    """One line. The costs of a request are in its first line only, so that sums over lines are correct."""

    change: Change
    documents: int
    url: str
    title: str = ""
    code: str = ""
    message: str = ""
    status: int = 0
    document_id: str = ""
    duration_ms: int = 0
    wire_bytes: int = 0
    found: int | None = None


def lines_of(plan: Plan, notices: Iterable[Notice], *, is_listing: bool) -> Iterator[ReportedLine]:
    """The lines of a plan and of these notices; `is_listing` if the request has no document of its own."""
    lines = _lines(plan, notices, is_listing=is_listing)
    for first in lines:
        yield first._replace(duration_ms=plan.duration_ms, wire_bytes=plan.wire_bytes, found=plan.found)
        yield from lines


def _lines(plan: Plan, notices: Iterable[Notice], *, is_listing: bool) -> Iterator[ReportedLine]:
    same = [item for item in plan.items if item.change is Change.SAME]
    for item in plan.items:
        if item.change is not Change.SAME:
            yield ReportedLine(
                item.change, 1, item.url, item.title, item.code, item.message, item.status, item.document_id
            )
    for notice in notices:
        yield ReportedLine(Change.SKIPPED, 1, notice.url, code=notice.code, message=notice.message)
    if same:
        # Unchanged items share one line.
        count = 0 if is_listing and not any(item.document_id for item in same) else len(same)
        yield ReportedLine(Change.SAME, count, plan.lease.request.url, status=same[0].status)
