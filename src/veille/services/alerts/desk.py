"""The alerts of dossiers: judged, told, and looked at again when it is time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from veille.core.schedule import MINUTE
from veille.errors import StoreError

if TYPE_CHECKING:
    from veille.core.models import Dossier
    from veille.core.records import Delivery
    from veille.ports import Clock, Dossiers, DossierStore
    from veille.ports.alerts import AlertTimes
    from veille.services.alerts.judging import Judge
    from veille.services.alerts.telling import Teller

#: If a process dies in the middle of it, another goes on after this time.
_TAKEN_UP_AFTER: Final = MINUTE


class AlertDesk:
    """Judges what happened in dossiers, and tells what fired."""

    def __init__(self, dossiers: Dossiers, times: AlertTimes, judge: Judge, teller: Teller, clock: Clock) -> None:
        self._dossiers = dossiers
        self._times = times
        self._judge = judge
        self._teller = teller
        self._clock = clock
        #: When to judge again, by dossier.
        self._judge_again: dict[str, int | None] = {}

    def due(self) -> list[str]:
        """The dossiers in which it is time for something: a digest, a second attempt, the end of a silence."""
        return self._times.due(self._clock())

    def judge(self, dossier_ids: Iterable[str], stop: Callable[[], bool]) -> None:
        """Judge what happened in these dossiers."""

        def judged(store: DossierStore, dossier_id: str) -> None:
            if not store.rules.all():
                return
            self._times.set(dossier_id, self._clock() + _TAKEN_UP_AFTER)
            self._judge_again[dossier_id] = self._judge.judge(store, stop)

        self._each(dossier_ids, judged, stop)

    def tell(self, dossiers: Iterable[Dossier], stop: Callable[[], bool], *, at_once: bool = False) -> list[Delivery]:
        """Send what is due in these dossiers; returns what their channels took.

        `at_once`: also through channels that failed and are to be left alone yet.
        """
        named = {dossier.id: dossier for dossier in dossiers}
        deliveries: list[Delivery] = []

        def told(store: DossierStore, dossier_id: str) -> None:
            if not store.channels.all() and dossier_id not in self._judge_again:
                self._times.set(dossier_id, None)
                return
            found = self._teller.tell(store, named[dossier_id], stop, at_once=at_once)
            deliveries.extend(found.deliveries)
            times = [at for at in (found.next_at, self._judge_again.get(dossier_id)) if at is not None]
            self._times.set(dossier_id, min(times, default=None))

        self._each(named, told, stop)
        return deliveries

    def _each(
        self, dossier_ids: Iterable[str], work: Callable[[DossierStore, str], None], stop: Callable[[], bool]
    ) -> None:
        for dossier_id in dossier_ids:
            if stop():
                return
            try:
                with self._dossiers.open(dossier_id) as store:
                    work(store, dossier_id)
            except StoreError as error:
                if not error.is_busy:
                    raise
                # A worker hung while it was writing there: continue with the other dossiers.
