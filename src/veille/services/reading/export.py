"""Exports, in pages: the current documents, or what changed since a cursor."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from veille.core.outgoing.cursors import Cursor
from veille.core.outgoing.export_record import Exported, change_record, document_record
from veille.errors import ConfigError

if TYPE_CHECKING:
    from veille.core.outgoing.delivery_attempts import Handover
    from veille.core.records import Event
    from veille.ports import Dossiers, DossierStore

#: How many documents are in memory at once.
PAGE = 20


class ExportService:
    """Exports on request. A client that continues from the cursor misses nothing."""

    def __init__(self, dossiers: Dossiers) -> None:
        self._dossiers = dossiers

    def end(self, dossier_ids: Iterable[str]) -> Cursor:
        """The current end of the changes of these dossiers."""
        places = {}
        for dossier_id in dossier_ids:
            with self._dossiers.open(dossier_id) as store:
                places[dossier_id] = store.outbox.last_seq()
        return Cursor(places)

    def at_time(self, dossier_ids: Iterable[str], at: int) -> Cursor:
        """The cursor before what changed from a time on."""
        places = {}
        for dossier_id in dossier_ids:
            with self._dossiers.open(dossier_id) as store:
                places[dossier_id] = store.outbox.seq_before(at)
        return Cursor(places)

    def newest(self, dossier_ids: Collection[str], count: int) -> tuple[list[Event], Cursor, bool]:
        """The newest changes of all these dossiers together, by time; the end; and whether there are older ones."""
        end = self.end(dossier_ids)
        begin = Cursor({dossier_id: max(0, last - count) for dossier_id, last in end.places.items()})
        streams = self._streams(dossier_ids, begin, count)
        found = list(_by_time(streams.values()))
        return found[-count:], end, len(found) > count or any(begin.places.values())

    def deliveries(self, dossier_id: str, sink: str | None = None, limit: int = 50) -> list[Handover]:
        """The attempts to deliver changes to sinks, or to one of them, newest first."""
        with self._dossiers.open(dossier_id) as store:
            return store.handovers.recent(sink, limit)

    def documents(self, dossier_ids: Iterable[str]) -> Iterator[list[Exported]]:
        """The current documents. Call `end` before: what changes meanwhile comes after that cursor."""
        for dossier_id in dossier_ids:
            with self._dossiers.open(dossier_id) as store:
                yield from _documents(store)

    def changes(self, dossier_ids: Iterable[str], since: Cursor, until: Cursor) -> Iterator[list[Exported]]:
        """The changes after a cursor, up to another, with the content that each brought."""
        for dossier_id in dossier_ids:
            with self._dossiers.open(dossier_id) as store:
                place, end = _checked(store, since), until.of(dossier_id)
                while parcels := store.outbox.parcels(place, PAGE):
                    wanted = [parcel for parcel in parcels if parcel.event.seq <= end]
                    yield [Exported(change_record(parcel), parcel.revision) for parcel in wanted]
                    place = parcels[-1].event.seq
                    if place >= end:
                        break

    def events(self, dossier_ids: Iterable[str], since: Cursor, limit: int) -> tuple[list[Event], Cursor]:
        """The first changes of all these dossiers after a cursor, by time, and the cursor to continue from."""
        streams = self._streams(dossier_ids, since, limit)
        found = list(islice(_by_time(streams.values()), limit))
        # In a dossier numbers come in order.
        places = {dossier_id: since.of(dossier_id) for dossier_id in streams}
        return found, Cursor(places | {one.dossier_id: one.seq for one in found})

    def _streams(self, dossier_ids: Iterable[str], since: Cursor, limit: int) -> dict[str, list[Event]]:
        streams = {}
        for dossier_id in dossier_ids:
            with self._dossiers.open(dossier_id) as store:
                streams[dossier_id] = store.outbox.events(_checked(store, since), limit)
        return streams


def _by_time(streams: Iterable[list[Event]]) -> Iterator[Event]:
    return heapq.merge(*streams, key=lambda event: event.at)


def _documents(store: DossierStore) -> Iterator[list[Exported]]:
    sources = {source.id: source for source in store.sources.all()}
    place = 0
    while found := store.records.walk(place, PAGE):
        place = found[-1][0]
        documents = []
        for _, revision in found:
            source = sources.get(revision.source_id)
            name, kind = (source.name, source.kind) if source else ("", "")
            documents.append(Exported(document_record(revision, store.id, name, kind), revision))
        yield documents


def _checked(store: DossierStore, since: Cursor) -> int:
    place, last = since.of(store.id), store.outbox.last_seq()
    if place > last:
        # Continuing from here would skip the next changes.
        raise ConfigError(
            f"The cursor says {place}, but the last change is {last}; it is of another data folder, or of a later "
            "time than this one was restored from. Export everything again.",
            code="bad_cursor",
        )
    return place
