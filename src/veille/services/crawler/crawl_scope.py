"""Addresses that a crawler knows and that its configuration no longer covers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, TypeVar

from veille.core.kinds.site import PAGE
from veille.core.models import Change, Item, Lease, Plan, Request, Source
from veille.core.tasks.crawling import Admit
from veille.core.traffic import Failure
from veille.errors import ConfigError

if TYPE_CHECKING:
    from veille.core.tasks import Task
    from veille.ports import DossierStore, Workshop, Writer

Result = TypeVar("Result")

#: Addresses that are matched against the patterns in one task.
_AT_ONCE: Final = 2000
_MESSAGE = "The configuration does not cover it any more."


def outcome(workshop: Workshop, task: Task[Result], dossier_id: str) -> Result:
    """The result of a task with the patterns of a crawler; a ConfigError if it fails."""
    found = workshop.run(task, group=dossier_id)
    if isinstance(found, Failure):
        raise ConfigError(found.message, code=found.code)
    return found


def withdraw(store: DossierStore, source: Source, workshop: Workshop, run_id: str, now: int) -> list[Plan]:
    """Forget such addresses; their documents count as removed, so that sinks drop them, too."""
    beyond = list(_beyond(store, source, workshop))
    if not beyond:
        return []
    plans = []
    store.runs.start(run_id, now)
    with store.writing() as writer:
        for request in beyond:
            lease = Lease(
                dossier_id=store.id, source=source, request=request, worker=run_id, epoch=0, until=now, wakes=0
            )
            plan = Plan(lease=lease, items=tuple(_removed(request, source, writer)), takes_place=False)
            writer.apply([plan], run_id, now)
            plans.append(plan)
    store.crawls.forget([request.id for request in beyond])
    store.runs.finish(run_id, now)
    return plans


def _beyond(store: DossierStore, source: Source, workshop: Workshop) -> Iterator[Request]:
    pages = [request for request in store.crawls.requests(source.id) if request.purpose == PAGE]
    for start in range(0, len(pages), _AT_ONCE):
        some = pages[start : start + _AT_ONCE]
        task = Admit(
            config=source.config, source=source, addresses=tuple((request.url, request.depth) for request in some)
        )
        admitted = outcome(workshop, task, store.id)
        yield from (request for request, is_within in zip(some, admitted, strict=True) if not is_within)


def _removed(request: Request, source: Source, writer: Writer) -> Iterator[Item]:
    known = writer.owned(request)
    if known is not None and known.state == "current" and known.source_id == source.id:
        yield Item(
            change=Change.REMOVED,
            url=known.url,
            title=known.title,
            document_id=known.document_id,
            rev_n=known.rev_n,
            code="out_of_scope",
            message=_MESSAGE,
        )
