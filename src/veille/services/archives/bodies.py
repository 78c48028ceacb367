"""Bodies on their way to where the settings say: as a duty of workers, and at once for an operator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from veille.core.schedule import HOUR, MINUTE
from veille.errors import NotFoundError, StoreError

if TYPE_CHECKING:
    from veille.ports import Clock, Dossiers
    from veille.ports.bodies import BodyFigures, BodyPlace
    from veille.ports.dossiers import Duties

#: How often one of all workers looks for bodies in rows, and for files that no row needs.
_LAY, _LAY_MS = "bodies", 10 * MINUTE
_TIDY, _TIDY_MS = "bodies.tidy", 6 * HOUR


class BodyService:
    """Where the bodies of dossiers are. Without a place they are in the store, and the duty has nothing to do."""

    def __init__(
        self,
        dossiers: Dossiers,
        place: BodyPlace | None,
        former: Callable[[str], BodyPlace],
        duties: Duties,
        clock: Clock,
    ) -> None:
        self._dossiers = dossiers
        self._duties = duties
        self._clock = clock
        self._former = former
        self.place = place

    def figures(self, dossier_id: str) -> BodyFigures:
        """How many bodies of a dossier are where."""
        with self._dossiers.open(dossier_id) as store:
            return store.bodies.figures()

    def missing(self, dossier_id: str) -> int:
        """How many files that a dossier needs are not there."""
        with self._dossiers.open(dossier_id) as store:
            return len(store.bodies.flaws().missing)

    def move(self, dossier_id: str, former: str = "") -> Iterator[int]:
        """Move the bodies of a dossier to where the settings say; yields how many each step moved.

        `former`: from this place, of which nothing is needed afterwards. Killed and done again, it goes on.
        """
        with self._dossiers.open(dossier_id) as store:
            at = self._former(former).of(dossier_id) if former else None
            yield from store.bodies.bring_back(at)
            if at is not None:
                yield from store.bodies.bring_over(at)
            yield from store.bodies.bring_over()
            while laid := store.bodies.lay_away(self._clock(), at_once=True):
                yield laid

    def is_due(self) -> bool:
        """Whether there may be something to lay away; another worker may still be the one that does it."""
        return self.place is not None and self._duties.is_due(_LAY, self._clock(), _LAY_MS)

    def keep_up(self, stop: Callable[[], bool]) -> int:
        """Lay away what waits, and delete what no row needs, if that is due; returns how many bodies were laid away."""
        now = self._clock()
        if self.place is None or not self._duties.take(_LAY, now, _LAY_MS):
            return 0
        tidies = self._duties.take(_TIDY, now, _TIDY_MS)
        laid = 0
        for dossier in self._dossiers.all():
            if stop():
                break
            try:
                laid += self._kept_up(dossier.id, stop, tidies=tidies)
            except NotFoundError:
                continue
            except StoreError as error:
                # Of a dossier alone it is told elsewhere. A place that does not answer is asked again the next time.
                if error.code == "bodies.unreachable":
                    raise
        return laid

    def _kept_up(self, dossier_id: str, stop: Callable[[], bool], *, tidies: bool) -> int:
        laid = 0
        with self._dossiers.open(dossier_id) as store:
            for _ in store.bodies.bring_over():
                if stop():
                    return laid
            while not stop() and (count := store.bodies.lay_away(self._clock())):
                laid += count
            if tidies:
                store.bodies.tidy(self._clock())
        return laid
