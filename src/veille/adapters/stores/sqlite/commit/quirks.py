"""The quirks of documents: what is known to differ on every load."""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._rows import marks_from
from veille.core.change.second_look import Kept
from veille.core.findings import Quirk

if TYPE_CHECKING:
    from veille.adapters.stores.sqlite._db import Database

QUIRKS_SCHEMA = """
    CREATE TABLE quirks (
        document_id TEXT PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
        quirks TEXT NOT NULL  -- JSON, see `core.quirks.Quirk`
    ) WITHOUT ROWID;
"""


class SqliteQuirks:
    """The port `Quirks`."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def kept(self, document_id: str, source_id: str) -> Kept | None:
        # What a source sees is held against what it saw itself.
        rows = self._db.execute(
            "SELECT views.title, views.text, at, rev_n, x'' FROM views JOIN documents ON documents.id = document_id "
            "WHERE document_id = ?1 AND views.source_id = ?2 AND views.text IS NOT NULL AND state = 'current' "
            "UNION ALL SELECT revisions.title, revisions.text, extracted_at, rev_n, beside FROM documents "
            "JOIN revisions ON revisions.id = revision_id WHERE documents.id = ?1 AND state = 'current' LIMIT 1",
            (document_id, source_id),
        )
        if not rows:
            return None
        title, text, at, rev_n, beside = rows[0]
        return Kept(
            title=title,
            text=zlib.decompress(text).decode(),
            at=at,
            rev_n=rev_n,
            quirks=self.of(document_id),
            beside=marks_from(beside),
        )

    def of(self, document_id: str) -> tuple[Quirk, ...]:
        found = self._db.value("SELECT quirks FROM quirks WHERE document_id = ?", (document_id,))
        return tuple(_quirk(*values) for values in json.loads(found)) if found else ()

    def set(self, document_id: str, quirks: tuple[Quirk, ...]) -> None:
        values = json.dumps([(quirk.line, quirk.proofs, quirk.at) for quirk in quirks])
        self._db.execute(
            "INSERT INTO quirks VALUES (?1, ?2) ON CONFLICT (document_id) DO UPDATE SET quirks = ?2",
            (document_id, values),
        )

    def forget(self, document_id: str) -> None:
        with self._db.write():
            self._db.execute("DELETE FROM quirks WHERE document_id = ?", (document_id,))


def _quirk(line: list[str | None], proofs: int, at: int) -> Quirk:
    return Quirk(line=tuple(line), proofs=proofs, at=at)
