"""What administrators offer to all dossiers, in the catalog database."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._part import Part

if TYPE_CHECKING:
    from veille.core.discover.catalogue import Offer
    from veille.core.models import Json


class SqliteOffers(Part):
    """The port `Offers`."""

    def all(self, kind: str) -> dict[str, Offer]:
        from veille.core.discover.catalogue import Offer  # noqa: PLC0415 - imports all page readers

        rows = self._db.execute(
            "SELECT id, record, created_at, updated_at FROM offers WHERE kind = ? ORDER BY id", (kind,)
        )
        return {
            row[0]: Offer(record=json.loads(row[1]) if row[1] else None, created_at=row[2], updated_at=row[3])
            for row in rows
        }

    def put(self, kind: str, offer_id: str, record: Json | None, now: int) -> None:
        text = None if record is None else json.dumps(record, ensure_ascii=False)
        self._db.execute(
            "INSERT INTO offers VALUES (?1, ?2, ?3, ?4, ?4) ON CONFLICT (kind, id) DO UPDATE "
            "SET record = ?3, updated_at = ?4",
            (kind, offer_id, text, now),
        )

    def delete(self, kind: str, offer_id: str) -> None:
        self._db.execute("DELETE FROM offers WHERE kind = ? AND id = ?", (kind, offer_id))
