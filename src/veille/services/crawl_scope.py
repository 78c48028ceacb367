"""What a crawler knows and its configuration no longer covers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from veille.core.models import Change, Item, Lease, Plan, Request, Source

if TYPE_CHECKING:
    from veille.core.kinds.site import SiteKind
    from veille.ports import DossierStore, Writer

_MESSAGE = "The configuration does not cover it any more."


def withdraw(store: DossierStore, source: Source, kind: SiteKind, run_id: str, now: int) -> list[Plan]:
    """Let go of such addresses; their documents count as removed, so that sinks drop them, too."""
    beyond = [request for request in store.crawls.requests(source.id) if not kind.covers(source, request)]
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
            writer.apply(plan, run_id, now)
            plans.append(plan)
    store.crawls.forget([request.id for request in beyond])
    store.runs.finish(run_id, now)
    return plans


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
