"""What administrators see of all dossiers: how large they are and which sources fail; never content."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from veille.core.models import Dossier, Source
from veille.errors import StoreError

if TYPE_CHECKING:
    from veille.core.report.sweeps import Sweep, Swept
    from veille.ports import Dossiers, Sweeps
    from veille.services.people.access import Access


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """The size of a dossier; the numbers are None if it cannot be opened."""

    dossier: Dossier
    sources: int | None
    revisions: int | None


class OverviewService:
    """For administrators only."""

    def __init__(self, dossiers: Dossiers, sweeps: Sweeps) -> None:
        self._dossiers = dossiers
        self._sweeps = sweeps

    def sizes(self, access: Access) -> list[Size]:
        """Every dossier, by name."""
        access.require_admin()
        return [self._size(dossier) for dossier in self._dossiers.all()]

    def sizes_page(self, access: Access, after: str, limit: int) -> tuple[list[Size], str]:
        """A page of dossiers by name and id, and where the next page starts; empty at the end."""
        access.require_admin()
        dossiers = sorted(self._dossiers.all(), key=_place)
        here = [dossier for dossier in dossiers if _place(dossier) > after][:limit]
        is_end = not here or here[-1] == dossiers[-1]
        return [self._size(dossier) for dossier in here], "" if is_end else _place(here[-1])

    def failing(self, access: Access, limit: int | None = None) -> list[tuple[Dossier, Source]]:
        """The failing sources of all dossiers; with a limit, the first ones found."""
        access.require_admin()
        found: list[tuple[Dossier, Source]] = []
        for dossier in self._dossiers.all():
            if limit is not None and len(found) >= limit:
                break
            # A dossier that cannot be opened is reported by `sizes`.
            with suppress(StoreError), self._dossiers.open(dossier.id) as store:
                found += [(dossier, source) for source in store.sources.ailing()]
        return found[:limit]

    def last_sweep(self, access: Access) -> tuple[Sweep, list[tuple[Dossier, Swept]]] | None:
        """The last sweep, and its results in dossiers that still exist."""
        access.require_admin()
        sweep = self._sweeps.last()
        if sweep is None:
            return None
        dossiers = {dossier.id: dossier for dossier in self._dossiers.all()}
        return sweep, [(dossiers[one.dossier_id], one) for one in sweep.found if one.dossier_id in dossiers]

    def _size(self, dossier: Dossier) -> Size:
        try:
            with self._dossiers.open(dossier.id) as store:
                totals = store.records.totals()
        except StoreError:
            return Size(dossier=dossier, sources=None, revisions=None)
        return Size(dossier=dossier, sources=totals["sources"], revisions=totals["revisions"])


def _place(dossier: Dossier) -> str:
    return f"{dossier.name} {dossier.id}"
