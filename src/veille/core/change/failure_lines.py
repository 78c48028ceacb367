"""The lines of a report for requests that failed."""

from __future__ import annotations

from dataclasses import replace

from veille.core.change.memory import Memory
from veille.core.models import Change, Item, Request
from veille.core.traffic import Failure

#: The failure of a request that robots.txt forbids.
_FORBIDDEN = "robots"
#: Failures that are final: they are reported once, and their request frees its place in the budget.
SETTLED = frozenset({_FORBIDDEN, "http.404", "http.410"})


def nothing_there(request: Request, failure: Failure) -> Item:
    """The line of an address that was only a guess."""
    return Item(change=Change.SAME, url=request.url, status=failure.status)


def failure_line(request: Request, failure: Failure, memory: Memory) -> Item:
    """The report line of a failure. A dead link is an error only once, a link that robots.txt forbids never."""
    line = error_line(request, failure)
    if request.purpose == "root" or failure.retryable:
        return line
    owned = memory.owned(request)
    is_known = request.failed_with == failure.code and (owned is None or owned.state != "current")
    if is_known and failure.code in SETTLED:
        return nothing_there(request, failure)
    return replace(line, change=Change.SKIPPED) if is_known or failure.code == _FORBIDDEN else line


def error_line(request: Request, failure: Failure) -> Item:
    """The line of a failure as it is."""
    return Item(change=Change.ERROR, url=request.url, code=failure.code, message=failure.message, status=failure.status)
