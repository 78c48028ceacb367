"""Deleted sources: restored, or deleted for good. A deletion is undone instead of asked about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.core.report.trash import TRASH_MS
from veille.errors import NotFoundError, StoreError

if TYPE_CHECKING:
    from veille.core.models import Source
    from veille.core.report.trash import TrashedSource
    from veille.ports import Clock, Dossiers

#: Deleted sources that are listed.
_LISTED = 500


class TrashService:
    """The trash of any dossier."""

    def __init__(self, dossiers: Dossiers, clock: Clock) -> None:
        self._dossiers = dossiers
        self._clock = clock

    def all(self, dossier_id: str) -> list[TrashedSource]:
        """The deleted sources, the last deleted first."""
        with self._dossiers.open(dossier_id) as store:
            return store.trash.all(_LISTED)

    def restore(self, dossier_id: str, source_id: str) -> Source:
        """Undo a deletion; NotFoundError if it is too late, ConfigError if its address is watched again."""
        with self._dossiers.open(dossier_id) as store:
            return store.trash.restore(source_id, self._clock())

    def restore_batch(self, dossier_id: str, at: int) -> list[Source]:
        """Undo everything that was deleted at one time; all or nothing."""
        with self._dossiers.open(dossier_id) as store, store.writing():
            found = [one.id for one in store.trash.all(_LISTED) if one.trashed_at == at]
            if not found:
                raise NotFoundError("There is nothing to undo any more.", code="no_source")
            return [store.trash.restore(source_id, self._clock()) for source_id in found]

    def empty(self, dossier_id: str) -> int:
        """Delete for good all that is in the trash; returns how many sources."""
        with self._dossiers.open(dossier_id) as store:
            return store.trash.purge(self._clock() + 1)


def purge_expired(dossiers: Dossiers, now: int) -> int:
    """Delete for good what can no longer be restored, in all dossiers; returns how many sources."""
    purged = 0
    for dossier in dossiers.all():
        try:
            with dossiers.open(dossier.id) as store:
                purged += store.trash.purge(now - TRASH_MS)
        except (NotFoundError, StoreError):
            # Deleted meanwhile, or its file is damaged: that is told elsewhere.
            continue
    return purged
