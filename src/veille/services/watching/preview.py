"""Preview of a source: what would be read, and where its limits are. Nothing is stored."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from veille.core.models import Change, Scope, Source
from veille.core.records import RunItem
from veille.errors import NotFoundError

if TYPE_CHECKING:
    from veille.core.models import Plan
    from veille.ports import Clock, Dossiers, DossierStore
    from veille.services.watching.sources import SourceService, Wish
    from veille.services.watching.watch import Worker

#: Found but not fetched addresses that are shown.
_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewedDocument(RunItem):
    """What was read from one address."""

    #: As in `Document`.
    quality: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """The result of a preview."""

    source: Source
    #: What was read, what failed, and what was skipped and why.
    documents: tuple[PreviewedDocument, ...]
    problems: tuple[RunItem, ...]
    left_out: tuple[RunItem, ...]
    #: How many addresses were found and would be fetched next, and the first of them.
    waiting: int
    next_urls: tuple[str, ...]


def preview(
    wish: Wish, limit: int, *, dossiers: Dossiers, sources: SourceService, worker: Worker, clock: Clock
) -> Preview:
    """Watch the wish in a temporary dossier until `limit` addresses were read."""
    dossier = dossiers.create("preview", clock())
    source = sources.add(dossier.id, wish)
    plans: list[Plan] = []
    worker.drain(Scope(dossiers=frozenset({dossier.id})), plans.append, lambda: len(plans) >= limit, batch=1)
    runs = worker.finish()
    lines = [item for run in runs for item in run.items]
    with dossiers.open(dossier.id) as store:
        waiting, urls = store.sources.waiting(source.id, clock(), _SHOWN)
        documents = tuple(
            PreviewedDocument(**asdict(item), quality=_quality(store, item)) for item in lines if item.document_id
        )
    return Preview(
        source=source,
        documents=documents,
        problems=tuple(item for item in lines if item.change is Change.ERROR),
        left_out=tuple(item for item in lines if item.change is Change.SKIPPED),
        waiting=waiting,
        next_urls=tuple(urls),
    )


def _quality(store: DossierStore, item: RunItem) -> float | None:
    # Duplicates have no text of their own.
    with suppress(NotFoundError):
        return store.records.revision(item.document_id).quality
    return None
