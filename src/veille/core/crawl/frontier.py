"""The frontier of a source: adds the new requests of an answer, and updates stored ones that are found again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from veille.core.crawl.budgets import Spending
from veille.core.models import Budget, Notice, Request


@dataclass(frozen=True, slots=True, kw_only=True)
class MetRequest:
    """The fields of a stored request that may change when it is found again."""

    url: str
    stamp: str
    depth: int
    #: As JSON.
    context: str
    every: int
    #: Whether a worker has ever claimed it.
    is_claimed: bool = False
    #: How often it was made due since it was read from the store.
    wakes: int = 0


def waiting(request: Request) -> MetRequest:
    """A new request in its stored form."""
    return MetRequest(
        url=request.url,
        stamp=request.stamp,
        depth=request.depth,
        context=json.dumps(request.context),
        every=request.every,
    )


def met(request: Request, stored: MetRequest) -> MetRequest:
    """The stored request after it was found again."""
    context = json.dumps(request.context)
    if request.stamp and request.stamp != stored.stamp:
        # A recurring request without a stamp is not woken: it was fetched or is due, and the stamp counts from now on.
        wakes = not request.every or bool(stored.stamp)
        return replace(
            stored,
            url=request.url,
            stamp=request.stamp,
            context=context,
            every=request.every,
            wakes=stored.wakes + wakes,
        )
    if request.depth and not stored.is_claimed and (request.depth, context) < (stored.depth, stored.context):
        # Before the first fetch the shortest path to a page counts; ties are broken by the context, so that the result
        # is deterministic.
        return replace(stored, depth=request.depth, context=context)
    return stored


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """How many requests became due, and notices about those that were not saved."""

    due: int
    notices: tuple[Notice, ...]


class Intake:
    """Processes the requests found in answers, in the order of the answers, and collects the rows to write."""

    def __init__(self, stored: Mapping[str, MetRequest], spending: Spending) -> None:
        self.spending = spending
        self._before = stored
        self._now = dict(stored)
        self._added: dict[str, Request] = {}

    def take(self, requests: Iterable[Request], budget: Budget | None) -> Saved:
        """Make these due, unless they were fetched with the same stamp before or the budget is used up."""
        wanted = {request.id: request for request in requests}
        due = 0
        for request_id in wanted.keys() & self._now.keys():
            after = met(wanted[request_id], self._now[request_id])
            due += after.wakes > self._now[request_id].wakes
            self._now[request_id] = after
        new = [request for request in wanted.values() if request.id not in self._now]
        taken, notices = self.spending.admit(new, budget)
        for request in taken:
            self._added[request.id], self._now[request.id] = request, waiting(request)
        return Saved(due=due + len(taken), notices=tuple(notices))

    def added(self) -> list[tuple[Request, MetRequest]]:
        """New requests, with their stored form."""
        return [(request, self._now[request.id]) for request in self._added.values()]

    def changed(self) -> list[tuple[str, MetRequest]]:
        """Stored requests that changed."""
        return [
            (request_id, self._now[request_id])
            for request_id, was in self._before.items()
            if self._now[request_id] != was
        ]
