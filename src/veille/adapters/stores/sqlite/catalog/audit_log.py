"""The audit log, in the catalog database. The database itself refuses to change or remove a line."""

from __future__ import annotations

import json
from dataclasses import asdict

from veille.adapters.stores.sqlite._part import Columns, Part
from veille.core.access.accounts import AuditLine, without_secrets

_NEWEST = 2**62
_LINE = Columns(AuditLine, "at, user_id, who, way, action, dossier_id, detail, address", detail=json.loads)


class SqliteAuditLog(Part):
    """The port `AuditLog`."""

    def add(self, line: AuditLine) -> None:
        detail = json.dumps(without_secrets(line.detail), ensure_ascii=False)
        self._db.execute(f"INSERT INTO audit ({_LINE}) VALUES ({_LINE.places})", asdict(line) | {"detail": detail})

    def lines(self, dossier_id: str | None = None, limit: int = 100, before: int | None = None) -> list[AuditLine]:
        # Two statements, so that each can use an index.
        chosen = "dossier_id = ?1" if dossier_id is not None else "?1 IS NULL"
        rows = self._db.execute(
            f"SELECT {_LINE}, seq FROM audit WHERE {chosen} AND seq < ?3 ORDER BY seq DESC LIMIT ?2",
            (dossier_id, limit, _NEWEST if before is None else before),
        )
        return [_LINE(row, seq=row[-1]) for row in rows]
