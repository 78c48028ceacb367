"""What was deleted: restored, or deleted for good. A deletion is undone instead of asked about."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from veille.core.report.trash import TRASH_MS
from veille.errors import ConfigError, NotFoundError, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable

    from veille.core.models import Source
    from veille.core.report.trash import SetupKind, TrashedSetup, TrashedSource
    from veille.ports import Clock, Dossiers, DossierStore

#: Deleted sources, and setups, that are listed.
_LISTED = 500


@dataclass(frozen=True, slots=True)
class BroughtBack:
    """What is back."""

    sources: tuple[Source, ...] = ()
    setups: tuple[TrashedSetup, ...] = ()


class TrashService:
    """The trash of any dossier."""

    def __init__(
        self, dossiers: Dossiers, clock: Clock, vet: Callable[[Source], None], renew: Callable[[str], None]
    ) -> None:
        self._dossiers = dossiers
        self._clock = clock
        #: Raises ConfigError for a source that could not be added today.
        self._vet = vet
        #: Questions ask the engines that the dossier has from now on.
        self._renew = renew

    def all(self, dossier_id: str) -> list[TrashedSource]:
        """The deleted sources, the last deleted first."""
        with self._dossiers.open(dossier_id) as store:
            return store.trash.all(_LISTED)

    def restore(self, dossier_id: str, source_id: str) -> Source:
        """Undo a deletion; NotFoundError if it is too late, ConfigError if its address is watched again."""
        with self._dossiers.open(dossier_id) as store:
            return self._back(store, source_id)

    def setups(self, dossier_id: str) -> list[TrashedSetup]:
        """The deleted rules, channels, saved searches and engines, the last deleted first."""
        with self._dossiers.open(dossier_id) as store:
            return store.trashed_setups.all(_LISTED)

    def restore_setup(self, dossier_id: str, kind: SetupKind, name_or_id: str) -> TrashedSetup:
        """Undo the deletion of a rule, channel, saved search or engine; of several of one name, the last.

        NotFoundError if it is too late, ConfigError if its name is taken.
        """
        with self._dossiers.open(dossier_id) as store, store.writing():
            named = [
                one.id
                for one in store.trashed_setups.all(_LISTED)
                if one.kind == kind and name_or_id in {one.id, one.name}
            ]
            restored = store.trashed_setups.restore(kind, named[0] if named else name_or_id, self._clock())
        self._renewed(dossier_id, restored)
        return restored

    def restore_batch(self, dossier_id: str, at: int) -> BroughtBack:
        """Undo everything that was deleted at one time; all or nothing."""
        with self._dossiers.open(dossier_id) as store, store.writing():
            sources = [one.id for one in store.trash.all(_LISTED) if one.trashed_at == at]
            setups = [one for one in store.trashed_setups.all(_LISTED) if one.trashed_at == at]
            if not sources and not setups:
                raise NotFoundError("There is nothing to undo any more.", code="no_source")
            now = self._clock()
            back = BroughtBack(
                tuple(self._back(store, source_id) for source_id in sources),
                tuple(store.trashed_setups.restore(one.kind, one.id, now) for one in setups),
            )
        self._renewed(dossier_id, *back.setups)
        return back

    def _renewed(self, dossier_id: str, *setups: TrashedSetup) -> None:
        if any(one.kind == "engine" for one in setups):
            self._renew(dossier_id)

    def _back(self, store: DossierStore, source_id: str) -> Source:
        with store.writing():
            source = store.trash.restore(source_id, self._clock())
            try:
                if source.enabled:
                    self._vet(source)
            except ConfigError as error:
                # The trash may come from a backup, or from before the operator's rules changed.
                store.sources.refuse(source.id, error.code, str(error))
                source = replace(source, enabled=False)
        return source

    def empty(self, dossier_id: str) -> int:
        """Delete for good all that is in the trash; returns how many."""
        with self._dossiers.open(dossier_id) as store:
            now = self._clock()
            return _purged(store, now + 1, now)


def purge_expired(dossiers: Dossiers, now: int) -> int:
    """Delete for good what can no longer be restored, in all dossiers; returns how many."""
    purged = 0
    for dossier in dossiers.all():
        try:
            with dossiers.open(dossier.id) as store:
                purged += _purged(store, now - TRASH_MS, now)
        except (NotFoundError, StoreError):
            # Deleted meanwhile, or its file is damaged: that is told elsewhere.
            continue
    return purged


def _purged(store: DossierStore, before: int, now: int) -> int:
    return store.trash.purge(before, now) + store.trashed_setups.purge(before)
