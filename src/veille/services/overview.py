"""What an administrator sees of all dossiers: how much is in them and which of their sources fail; never content."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from veille.core.models import Dossier, Source
from veille.errors import StoreError

if TYPE_CHECKING:
    from veille.ports import Dossiers
    from veille.services.access import Access


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much is in a dossier; None when it cannot be opened."""

    dossier: Dossier
    sources: int | None
    revisions: int | None


class OverviewService:
    """For administrators only."""

    def __init__(self, dossiers: Dossiers) -> None:
        self._dossiers = dossiers

    def sizes(self, access: Access) -> list[Size]:
        """Every dossier, by name."""
        access.require_admin()
        return [self._size(dossier) for dossier in self._dossiers.all()]

    def failing(self, access: Access) -> list[tuple[Dossier, Source]]:
        """The sources that fail, of all dossiers."""
        access.require_admin()
        found = []
        for dossier in self._dossiers.all():
            # One that cannot be opened is told of by its size.
            with suppress(StoreError), self._dossiers.open(dossier.id) as store:
                found += [(dossier, source) for source in store.sources.ailing()]
        return found

    def _size(self, dossier: Dossier) -> Size:
        try:
            with self._dossiers.open(dossier.id) as store:
                totals = store.records.totals()
        except StoreError:
            return Size(dossier=dossier, sources=None, revisions=None)
        return Size(dossier=dossier, sources=totals["sources"], revisions=totals["revisions"])
