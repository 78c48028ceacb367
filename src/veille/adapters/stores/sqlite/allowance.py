"""The quotas of dossiers: requests and bytes per day, and bytes stored.

Bytes are counted in the transaction that stores the answer, requests when they are leased: a killed worker leaves
nothing uncounted, and all workers see the same counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.core.schedule import DAY
from veille.core.workload import Limit

if TYPE_CHECKING:
    from veille.adapters.stores.sqlite.catalog.catalog import Catalog
    from veille.adapters.stores.sqlite.dossier import SqliteDossier
    from veille.settings import QuotaSettings

_MB = 1024 * 1024


class Allowance:
    """The limits of every dossier, and what is left of them."""

    def __init__(self, catalog: Catalog, quotas: QuotaSettings) -> None:
        self._catalog = catalog
        self._requests = quotas.requests_per_day
        self._bytes = quotas.bytes_per_day
        self._stored = round(quotas.stored_mb * _MB)
        #: Whether any quota is set.
        self.is_limited = bool(self._requests or self._bytes or self._stored)

    def used_up(self, store: SqliteDossier, now: int) -> Limit | None:
        """The limit that the dossier has reached, if any."""
        if self._requests and self._catalog.spent(store.id, now // DAY) >= self._requests:
            return Limit.REQUESTS
        if self._bytes and store.figures.traffic(now) >= self._bytes:
            return Limit.BYTES
        if self._stored and store.figures.stored() >= self._stored:
            return Limit.STORED
        return None

    def reserve(self, dossier_id: str, wanted: int, now: int) -> int:
        """How many of the wanted requests the dossier may still send today; these count as sent."""
        if not self._requests or wanted <= 0:
            return wanted
        return self._catalog.reserve(dossier_id, now // DAY, wanted, self._requests)

    def give_back(self, dossier_id: str, requests: int, now: int) -> None:
        if self._requests and requests:
            self._catalog.reserve(dossier_id, now // DAY, -requests, self._requests)


def tomorrow(now: int) -> int:
    """When the next day begins, in UTC."""
    return (now // DAY + 1) * DAY
