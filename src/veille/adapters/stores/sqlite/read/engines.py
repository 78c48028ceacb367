"""A dossier's own search engines."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._part import Part

if TYPE_CHECKING:
    from veille.core.models import Json


class SqliteEngines(Part):
    """The port `Engines`."""

    def all(self) -> dict[str, Json]:
        rows = self._db.execute("SELECT id, record FROM engines ORDER BY id")
        return {row[0]: json.loads(row[1]) for row in rows}

    def put(self, engine_id: str, record: Json, now: int) -> None:
        self._db.execute("INSERT OR REPLACE INTO engines VALUES (?, ?, ?)", (engine_id, json.dumps(record), now))
