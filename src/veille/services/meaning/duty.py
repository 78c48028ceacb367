"""The duty of workers to embed what waits: every few seconds, in the dossiers that have an embedder."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from veille.ports import Store
    from veille.services.meaning.keeping import MeaningService

#: How often a worker looks for what waits.
_EVERY_S: Final = 5.0


class VectorKeeper:
    """Keeps the vectors of all dossiers up to date, for one worker."""

    def __init__(self, store: Store, service: Callable[[], MeaningService]) -> None:
        self._store = store
        self._service = service
        self._looked_at = float("-inf")
        #: The dossiers that follow the settings; new ones may come.
        self._following: set[str] = set()

    def keep_up(
        self, stop: Callable[[], bool], dossiers: Collection[str] | None = None, *, at_once: bool = False
    ) -> int:
        """Embed what waits in these dossiers, by default in all; returns how many pieces. Does nothing too soon."""
        now = time.monotonic()
        if not at_once and now - self._looked_at < _EVERY_S:
            return 0
        self._looked_at = now
        service = self._service()
        if service.has_settings:
            new = [one.id for one in self._store.dossiers.all() if one.id not in self._following]
            service.follow_settings(new)
            self._following.update(new)
        ids = self._store.with_meaning()
        return service.keep_up((one for one in ids if dossiers is None or one in dossiers), stop) if ids else 0
