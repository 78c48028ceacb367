"""Hand the changes to the sinks: each at its own pace, in order, from where it stopped."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from veille.core.records import Delivery
from veille.errors import SinkError
from veille.failpoints import failpoint

if TYPE_CHECKING:
    from veille.ports import Clock, Dossiers, DossierStore, Sink


#: How often to ask for a turn that somebody else has.
ASK_EVERY_S = 0.1


class Courier:
    """Drains the outboxes. A sink that fails keeps its place and holds up no other."""

    def __init__(
        self, name: str, dossiers: Dossiers, sinks: Mapping[str, Sink], clock: Clock, *, lease_ms: int, batch: int
    ) -> None:
        self._name = name
        self._dossiers = dossiers
        self._sinks = sinks
        self._clock = clock
        self._lease_ms = lease_ms
        self._batch = batch

    def deliver(self, dossier_ids: Iterable[str], *, wait: bool = False) -> list[Delivery]:
        """What every sink took from every one of these dossiers.

        With `wait`, a sink that somebody else is delivering to is waited for, and taken over should they have died.
        """
        deliveries = []
        for dossier_id in dossier_ids:
            with self._dossiers.open(dossier_id) as store:
                deliveries += [self._drain(store, name, sink, wait=wait) for name, sink in self._sinks.items()]
        return deliveries

    def _drain(self, store: DossierStore, name: str, sink: Sink, *, wait: bool) -> Delivery:
        delivered = skipped = 0
        code = error = ""
        while not (mine := self._turn(store, name)) and wait:
            time.sleep(ASK_EVERY_S)
        if not mine:
            # Somebody else is delivering to this sink right now, and will take what is waiting.
            return Delivery(dossier_id=store.id, sink=name, delivered=0, pending=store.outbox.pending(name))
        try:
            while parcels := store.outbox.waiting(name, self._batch):
                fresh = sink.deliver(parcels)
                failpoint("before_outbox_mark")
                store.outbox.mark(name, self._name, parcels[-1].event.seq, self._clock())
                delivered, skipped = delivered + fresh, skipped + len(parcels) - fresh
                if not self._turn(store, name):
                    break
        except SinkError as failure:
            code, error = failure.code, str(failure)
        finally:
            store.outbox.unlock(name, self._name)
        return Delivery(
            dossier_id=store.id,
            sink=name,
            delivered=delivered,
            skipped=skipped,
            pending=store.outbox.pending(name),
            code=code,
            error=error,
        )

    def _turn(self, store: DossierStore, sink: str) -> bool:
        now = self._clock()
        return store.outbox.lock(sink, self._name, now + self._lease_ms, now)
