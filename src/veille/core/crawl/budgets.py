"""The limits of a crawl: pages in total, per URL pattern, new pages per answer, and time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from veille.core.crawl.bounds import MAX_REORDERED, PLAIN, REORDERED
from veille.core.models import Budget, Notice, Plan, Request

#: The pattern under which all pages are counted.
ALL = ""


def places(pattern: str) -> tuple[str, ...]:
    """The patterns under which a request is counted: its own, and `ALL` if it is a page.

    >>> places("/"), places("?sitemap"), places("")
    (('/', ''), ('?sitemap',), ())
    """
    if not pattern:
        return ()
    return (pattern,) if pattern.startswith("?") else (pattern, ALL)


def patterns_of(plan: Plan) -> Iterator[str]:
    """The patterns whose use a plan depends on."""
    for request in plan.requests:
        yield from places(request.pattern)
    if plan.budget is not None and plan.lease.request.purpose == "root":
        yield ALL


class CountedRequest(NamedTuple):
    """A stored request, the pattern under which it is counted, and whether it is counted now."""

    request_id: str
    source_id: str
    pattern: str
    counted: bool
    document_id: str | None = None


class Spending:
    """The use of the budgets of sources, while answers are processed in order. A *place* is one counted request."""

    def __init__(self, used: Iterable[tuple[str, str, int]] = (), stored: Iterable[CountedRequest] = ()) -> None:
        #: How many places are taken, by source and pattern.
        self.used: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for source_id, pattern, count in used:
            self.used[source_id][pattern] = count
        #: The difference to the stored counts: places taken less places freed.
        self.added: Counter[tuple[str, str]] = Counter()
        self._places = {place.request_id: place for place in stored}
        self._of_document: dict[str | None, list[str]] = defaultdict(list)
        for place in self._places.values():
            self._of_document[place.document_id].append(place.request_id)
        #: Stored requests whose `counted` changed, with the new value.
        self.settled: dict[str, bool] = {}

    def settle(self, request_id: str, *, takes_place: bool) -> None:
        """Count the request, or free its place: a missing page makes room for another one."""
        place = self._places.get(request_id)
        if place is not None and place.counted != takes_place:
            self._places[request_id] = place._replace(counted=takes_place)
            self.settled[request_id] = takes_place
            self._count(place.source_id, place.pattern, 1 if takes_place else -1)

    def give_back(self, document_id: str) -> None:
        """Free the places of a removed document."""
        for request_id in self._of_document[document_id]:
            self.settle(request_id, takes_place=False)

    def admit(self, requests: Iterable[Request], budget: Budget | None) -> tuple[list[Request], list[Notice]]:
        """Which new requests of one answer can be saved, and why the others cannot."""
        taken: list[Request] = []
        notices: list[Notice] = []
        for request in requests:
            objection = _objection(request, budget, self.used[request.source_id], len(taken)) if budget else None
            if objection is None:
                taken.append(request)
                self._count(request.source_id, request.pattern, 1)
            else:
                notices.append(objection)
        return taken, notices

    def _count(self, source_id: str, pattern: str, change: int) -> None:
        for place in places(pattern):
            self.used[source_id][place] += change
            self.added[source_id, place] += change


def _objection(request: Request, budget: Budget, used: Counter[str], fresh: int) -> Notice | None:
    if budget.fresh and fresh >= budget.fresh:
        message = f"{budget.fresh} new ones were taken; `max_new` sets the limit. The next check takes further ones."
        return Notice(code="over_items", url=request.url, message=message, about="items")
    if ALL in places(request.pattern) and is_full(budget, used):
        return all_pages(request.url, budget)
    if request.pattern.startswith(REORDERED) and used[request.pattern] >= MAX_REORDERED:
        where, _, words = request.pattern.removeprefix(REORDERED).partition(": ")
        message = (
            f"Addresses below {where} have the same words ({words}) in ever other orders; {MAX_REORDERED} of each such "
            "set are read. `exclude` leaves them all out."
        )
        return Notice(code="trap", url=request.url, message=message, about=where)
    is_bounded = request.pattern not in {"", PLAIN} and not request.pattern.startswith(REORDERED)
    if is_bounded and used[request.pattern] >= budget.per_pattern:
        message = (
            f"{budget.per_pattern} addresses look like {request.pattern}; further ones are left out. "
            "`max_per_pattern` sets the limit, `exclude` leaves them all out."
        )
        return Notice(code="trap", url=request.url, message=message, about=request.pattern)
    return None


def is_full(budget: Budget, used: Mapping[str, int]) -> bool:
    """Whether the source has reached its limit of pages."""
    return used.get(ALL, 0) >= budget.pages


def all_pages(url: str, budget: Budget) -> Notice:
    """The notice that the source has reached its limit of pages, and others were left out."""
    message = f"The source has its {budget.pages} pages; further ones are left out. `max_pages` sets the limit."
    return Notice(code="over_budget", url=url, message=message, about="pages")


def deadlines(plans: Iterable[Plan], ends: Mapping[str, int], now: int) -> dict[str, int]:
    """The deadlines of the crawls of sources after these plans: a crawl in progress keeps its deadline."""
    after = dict(ends)
    for plan in plans:
        source_id, budget = plan.lease.source.id, plan.budget
        starts = plan.lease.request.purpose == "root" and budget is not None and budget.run_ms
        if starts and after[source_id] <= now:
            after[source_id] = now + starts
    return after


def resumes_at(ends: int, root_due: int | None, now: int) -> int | None:
    """When a crawl that passed its deadline continues: with the next check of a root. None if it need not pause."""
    # A root that is due now starts the next crawl, with a new deadline.
    return root_due if ends and ends <= now and root_due is not None and root_due > now else None


def out_of_time(url: str, postponed: int) -> Notice:
    """The notice that a crawl reached its time limit, and how many addresses were postponed."""
    message = f"{postponed} addresses wait for the next turn; `max_run_s` sets the limit."
    return Notice(code="over_time", url=url, message=message, about="time")
