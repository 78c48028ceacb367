"""The secrets of a dossier, in its database, sealed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.core.secrets import NAME
from veille.errors import ConfigError

if TYPE_CHECKING:
    from veille.adapters.stores.sqlite._db import Database
    from veille.adapters.vault import VaultKey

VAULT_SCHEMA = """
CREATE TABLE secrets (
    name TEXT PRIMARY KEY,
    key_id TEXT NOT NULL,
    value BLOB NOT NULL,
    updated_at INTEGER NOT NULL
) WITHOUT ROWID, STRICT;
"""

_MAX_VALUE = 8000


class SqliteVault:
    """The port `Vault` on a dossier's database."""

    def __init__(self, db: Database, key: VaultKey, dossier_id: str) -> None:
        self._db = db
        self._key = key
        self._dossier_id = dossier_id

    def set(self, name: str, value: str, now: int) -> None:
        if not NAME.fullmatch(name):
            raise ConfigError(
                f"{name[:80]!r} is no name for a secret: use letters, digits, `_`, `.` and `-`.", code="bad_secret_name"
            )
        if not value or len(value) > _MAX_VALUE or not value.isprintable():
            raise ConfigError(
                f"The value of {name} must have 1 to {_MAX_VALUE} printable characters.", code="bad_secret_value"
            )
        sealed = self._key.sealed(value, self._context(name))
        self._db.execute(
            "INSERT OR REPLACE INTO secrets (name, key_id, value, updated_at) VALUES (?, ?, ?, ?)",
            (name, self._key.id, sealed, now),
        )

    def get(self, name: str) -> str | None:
        sealed = self._db.value("SELECT value FROM secrets WHERE name = ?", (name,))
        return None if sealed is None else self._key.opened(sealed, self._context(name))

    def names(self) -> list[str]:
        return [row[0] for row in self._db.execute("SELECT name FROM secrets ORDER BY name")]

    def delete(self, name: str) -> None:
        self._db.execute("DELETE FROM secrets WHERE name = ?", (name,))

    def _context(self, name: str) -> str:
        return f"{self._dossier_id}/{name}"


def sealed_under(db: Database) -> dict[str, int]:
    """The ids of the keys that a dossier's secrets are sealed with, and how many each."""
    return {row[0]: row[1] for row in db.execute("SELECT key_id, count(*) FROM secrets GROUP BY key_id")}
