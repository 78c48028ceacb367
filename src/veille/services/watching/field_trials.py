"""Tries a field of a source's options on its last fetch: what is kept of it, or a fetch that was made to try on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from veille.core.kinds import kind_of_source
from veille.core.reread.answers import lease_to_read
from veille.core.show.tried import TriedField
from veille.core.show.trying import needs_texts
from veille.core.traffic import Failure
from veille.errors import ReadError
from veille.services.repairing.probe import fetched

if TYPE_CHECKING:
    from veille.core.models import Json, Request, Source
    from veille.core.traffic import Payload
    from veille.ports import Clock, Dossiers, Fetcher, Workshop
    from veille.services.watching.request_builder import Orders

#: Documents of a source whose texts are tried on, the last changed first.
_MOST_TEXTS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchToTry:
    """An answer of a source: one that is kept, or one that was fetched for a trial."""

    request: Request
    payload: Payload


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldTrial:
    """What a field takes, from what."""

    taken: TriedField
    #: When the answer was fetched; None if stored texts were enough.
    at: int | None = None


class FieldTrials:
    """Tries fields. Nothing is stored, and the source is not changed."""

    def __init__(self, dossiers: Dossiers, orders: Orders, workshop: Workshop, clock: Clock) -> None:
        self._dossiers = dossiers
        self._orders = orders
        self._workshop = workshop
        self._clock = clock

    def on_texts(self, dossier_id: str, source: Source, field: str) -> FieldTrial | None:
        """What the field takes from the texts of stored documents; None if it needs an answer, or if none is stored."""
        if not needs_texts(source, field):
            return None
        with self._dossiers.open(dossier_id) as store:
            documents = store.records.documents(source.id, _MOST_TEXTS)
        if not documents:
            return None
        from veille.core.tasks.trying import TryField  # noqa: PLC0415 - slow to import

        texts = tuple((one.title, one.text) for one in documents)
        found = self._workshop.run(TryField(source=source, field=field, texts=texts), group=dossier_id)
        return FieldTrial(taken=_taken(found))

    def on_answer(self, dossier_id: str, source: Source, field: str, answer: FetchToTry) -> FieldTrial:
        """What the field takes from an answer."""
        from veille.core.tasks.trying import TryField  # noqa: PLC0415 - slow to import

        bare = replace(answer.payload, body=b"", shot=None)
        task = TryField(source=source, field=field, request=answer.request, payload=bare)
        found = self._workshop.run(task, answer.payload.body, group=dossier_id)
        return FieldTrial(taken=_taken(found), at=answer.payload.fetched_at)

    def kept(self, dossier_id: str, source: Source) -> FetchToTry | None:
        """The last answer of the source, if the source keeps its answers."""
        with self._dossiers.open(dossier_id) as store:
            found = store.raw_answers.newest(source.id, _root(source).url)
        return FetchToTry(request=found[0], payload=found[1]) if found else None

    def fetch(self, dossier_id: str, source: Source, fetcher: Fetcher, options: Json) -> FetchToTry:
        """Fetch the page of a source as a check would, rendered if these options say so; ReadError if that fails."""
        config = source.config | {"render": options["render"]} if "render" in options else source.config
        request = replace(_root(source), id="trial")
        lease = lease_to_read(dossier_id, replace(source, config=config), request)
        order = self._orders.make("trial", lease, self._clock())
        answer = order if isinstance(order, Failure) else fetched(fetcher, [order])["trial"]
        if isinstance(answer, Failure):
            raise ReadError(answer.message, code=answer.code)
        return FetchToTry(request=request, payload=replace(answer, shot=None))


def _root(source: Source) -> Request:
    return next(iter(kind_of_source(source).start(source)))


def _taken(found: TriedField | Failure) -> TriedField:
    if isinstance(found, Failure):
        raise ReadError(found.message, code=found.code)
    return found
