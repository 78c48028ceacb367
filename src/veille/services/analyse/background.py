"""Analyses documents as they come, in the dossiers that want it: one process at a time in each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from veille.errors import NotFoundError, StoreError

if TYPE_CHECKING:
    from veille.ports import Dossiers
    from veille.services.alerts.locks import Locks
    from veille.services.analyse.analysing import AnalyseService

#: The name of the lock; no sink can have it.
ANALYSES_LOCK: Final = "#analyses"


def wanted(dossiers: Dossiers, dossier_ids: Iterable[str]) -> list[str]:
    """Those of these dossiers whose documents are analysed as they come; without those that were deleted."""
    found = []
    for dossier_id in dossier_ids:
        try:
            with dossiers.open(dossier_id) as store:
                found += [dossier_id] if store.analyses.is_on() else []
        except (NotFoundError, StoreError):
            continue
    return found


def analyse_new(
    dossiers: Dossiers, service: AnalyseService, locks: Locks, dossier_ids: Iterable[str], stop: Callable[[], bool]
) -> None:
    """Analyse what waits in these dossiers; where another process is at it, nothing is done."""
    for dossier_id in dossier_ids:
        if stop():
            return
        with dossiers.open(dossier_id) as store:
            if not locks.take(store, ANALYSES_LOCK):
                continue

        def is_over(dossier_id: str = dossier_id) -> bool:
            """Asked before every document: the lock is renewed with it."""
            with dossiers.open(dossier_id) as store:
                return stop() or not locks.take(store, ANALYSES_LOCK)

        try:
            service.run(dossier_id, stop=is_over)
        finally:
            with dossiers.open(dossier_id) as store:
                locks.release(store, ANALYSES_LOCK)
