"""How much a crawl may take: pages in all, of one shape of address, new ones from one answer, and time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from veille.core.crawl.bounds import MAX_REORDERED, PLAIN, REORDERED
from veille.core.findings import Budget, Notice
from veille.core.models import Request

#: Under this pattern all pages are counted together.
ALL = ""


def places(pattern: str) -> tuple[str, ...]:
    """The patterns under which a request is counted: its own, and all together if it is more than a help to find pages.

    >>> places("/"), places("?sitemap"), places("")
    (('/', ''), ('?sitemap',), ())
    """
    if not pattern:
        return ()
    return (pattern,) if pattern.startswith("?") else (pattern, ALL)


class CountedRequest(NamedTuple):
    """A stored request that is counted under a pattern, and whether it takes a place now."""

    request_id: str
    source_id: str
    pattern: str
    counted: bool
    document_id: str | None = None


class Spending:
    """The places that requests take in the budgets of their sources, while answers are worked through in order."""

    def __init__(self, used: Iterable[tuple[str, str, int]] = (), stored: Iterable[CountedRequest] = ()) -> None:
        #: How many places are taken, by source and pattern.
        self.used: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for source_id, pattern, count in used:
            self.used[source_id][pattern] = count
        #: How many of them were taken or given back here.
        self.added: Counter[tuple[str, str]] = Counter()
        self._places = {place.request_id: place for place in stored}
        self._of_document: dict[str | None, list[str]] = defaultdict(list)
        for place in self._places.values():
            self._of_document[place.document_id].append(place.request_id)
        #: Stored requests that begin or cease to take a place.
        self.settled: dict[str, bool] = {}

    def settle(self, request_id: str, *, takes_place: bool) -> None:
        """Note whether there is something at the address that takes a place; nothing makes room for something else."""
        place = self._places.get(request_id)
        if place is not None and place.counted != takes_place:
            self._places[request_id] = place._replace(counted=takes_place)
            self.settled[request_id] = takes_place
            self._count(place.source_id, place.pattern, 1 if takes_place else -1)

    def give_back(self, document_id: str) -> None:
        """What is gone makes room for something else."""
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
        message = f"{budget.fresh} new ones were taken; `max_new` sets the limit. The next look takes further ones."
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
    """Whether the source has all pages it may have."""
    return used.get(ALL, 0) >= budget.pages


def all_pages(url: str, budget: Budget) -> Notice:
    """That the source has all pages it may have, and others were left out."""
    message = f"The source has its {budget.pages} pages; further ones are left out. `max_pages` sets the limit."
    return Notice(code="over_budget", url=url, message=message, about="pages")


def ends_at(ends: int, budget: Budget, now: int) -> int:
    """When a turn that begins now has to end; one that is under way keeps its end."""
    return now + budget.run_ms if ends <= now else ends


def resumes_at(ends: int, root_due: int | None, now: int) -> int | None:
    """When a turn that has to end then goes on: with the next root, if its time is over; None if it just goes on."""
    # A root that is due begins the next turn, with time of its own.
    return root_due if ends and ends <= now and root_due is not None and root_due > now else None


def out_of_time(url: str, postponed: int) -> Notice:
    """That a turn took all its time, and so many addresses were put off."""
    message = f"{postponed} addresses wait for the next turn; `max_run_s` sets the limit."
    return Notice(code="over_time", url=url, message=message, about="time")
