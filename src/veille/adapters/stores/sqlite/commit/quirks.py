"""The quirks of documents: what is known to differ on every load."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._rows import as_json
from veille.core.models import Quirk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from veille.adapters.stores.database import Database


class SqliteQuirks:
    """The port `Quirks`."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def of(self, document_id: str) -> tuple[Quirk, ...]:
        return quirks_from(self._db.value("SELECT quirks FROM quirks WHERE document_id = ?", (document_id,)))

    def save(self, quirks: Iterable[tuple[str, tuple[Quirk, ...]]]) -> None:
        """Store the quirks of documents, inside the transaction that writes the documents."""
        self._db.many(
            "INSERT INTO quirks VALUES (?1, ?2) ON CONFLICT (document_id) DO UPDATE SET quirks = ?2",
            [(document_id, as_json((one.line, one.proofs, one.at) for one in of)) for document_id, of in quirks],
        )

    def forget(self, document_id: str) -> None:
        with self._db.write():
            self._db.execute("DELETE FROM quirks WHERE document_id = ?", (document_id,))


def quirks_from(text: str | None) -> tuple[Quirk, ...]:
    """The quirks in a value of the column."""
    rows = json.loads(text) if text else ()
    return tuple(Quirk(line=tuple(line), proofs=proofs, at=at) for line, proofs, at in rows)
