"""The secrets of a dossier, in its database, sealed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.core.http.secrets import NAME, Secret, bound_hosts
from veille.errors import ConfigError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from veille.adapters.stores.database import Database
    from veille.adapters.vault import VaultKey


_MAX_VALUE = 8000


class SqliteVault:
    """The port `Vault` on a dossier's database. The key is loaded only when a value is set or used."""

    def __init__(self, db: Database, key: Callable[[], VaultKey], dossier_id: str) -> None:
        self._db = db
        self._key = key
        self._dossier_id = dossier_id

    def set(self, name: str, value: str, hosts: Iterable[str], now: int) -> None:
        if not NAME.fullmatch(name):
            raise ConfigError(
                f"{name[:80]!r} is no name for a secret: use letters, digits, `_`, `.` and `-`.", code="bad_secret_name"
            )
        if not value or len(value) > _MAX_VALUE or not value.isprintable():
            raise ConfigError(
                f"The value of {name} must have 1 to {_MAX_VALUE} printable characters.", code="bad_secret_value"
            )
        bound, key = " ".join(bound_hosts(hosts)), self._key()
        self._db.execute(
            "INSERT OR REPLACE INTO secrets (name, hosts, key_id, value, updated_at) VALUES (?, ?, ?, ?, ?)",
            (name, bound, key.id, key.sealed(value, self._context(name, bound)), now),
        )

    def get(self, name: str) -> Secret | None:
        for hosts, sealed in self._db.execute("SELECT hosts, value FROM secrets WHERE name = ?", (name,)):
            return Secret(self._key().opened(sealed, self._context(name, hosts)), tuple(hosts.split()))
        return None

    def hosts(self) -> dict[str, tuple[str, ...]]:
        rows = self._db.execute("SELECT name, hosts FROM secrets ORDER BY name")
        return {name: tuple(hosts.split()) for name, hosts in rows}

    def delete(self, name: str) -> None:
        if self._db.value("DELETE FROM secrets WHERE name = ? RETURNING 1", (name,)) is None:
            raise NotFoundError(f"This dossier has no secret {name[:80]!r}.", code="no_secret")

    def login(self, source_id: str) -> str:
        for (sealed,) in self._db.execute("SELECT value FROM logins WHERE source_id = ?", (source_id,)):
            try:
                return self._key().opened(sealed, self._of_login(source_id))
            except ConfigError:
                # Of another key, as after a restored backup: the steps log in anew.
                return ""
        return ""

    def keep_login(self, source_id: str, value: str, now: int) -> None:
        key = self._key()
        with self._db.write():
            self._db.execute("DELETE FROM logins WHERE source_id = ?", (source_id,))
            self._db.execute(
                "INSERT INTO logins (source_id, key_id, value, updated_at) SELECT id, ?2, ?3, ?4 FROM sources "
                "WHERE id = ?1",
                (source_id, key.id, key.sealed(value, self._of_login(source_id)), now),
            )

    def sealed_under(self) -> dict[str, int]:
        return dict(self._db.execute("SELECT key_id, count(*) FROM secrets GROUP BY key_id"))

    def _context(self, name: str, hosts: str) -> str:
        # The hosts are sealed with the value: write access to the file is not enough to bind it to other hosts.
        return f"{self._dossier_id}/{name}/{hosts}"

    def _of_login(self, source_id: str) -> str:
        return f"{self._dossier_id}/login/{source_id}"
