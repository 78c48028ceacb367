"""What services on several machines share in the database: the id of their key, rate limits, and a shelf."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from veille.adapters.vault import KEY_FILE, VaultKey, key_id
from veille.core.schedule import MINUTE
from veille.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from veille.adapters.stores.database import Database
    from veille.settings import VaultSettings

#: A call, in the unit that they are counted in.
_CALL = 1000
_REFILLED = "min(:most, call_turns.left_over + (:now - call_turns.at) * :per_minute / 60)"
_TAKE = (
    "INSERT INTO call_turns (name, left_over, at) VALUES (:name, :most - :wanted, :now) ON CONFLICT (name) DO UPDATE "
    f"SET left_over = {_REFILLED} - :wanted, at = :now WHERE {_REFILLED} >= :wanted RETURNING left_over"
)
#: How often entries of a minute ago are dropped, in takes.
_CLEAN_EVERY = 500
_SHELF_OF_ONE = 20
_SHELF_BYTES = 16 * 1024 * 1024


def shared_key(db: Database, folder: Path, settings: VaultSettings) -> VaultKey:
    """The key of this machine; ConfigError `vault.other_key` if the secrets in the database belong to another.

    The first machine that needs one makes it; then none makes one of its own.
    """
    noted = db.execute("SELECT id, machine FROM vault_key")
    if not noted or key_id(folder, settings):
        key = VaultKey(folder, settings)
        if not noted:
            db.execute("INSERT OR IGNORE INTO vault_key VALUES (1, ?, ?)", (key.id, os.uname().nodename))
            noted = db.execute("SELECT id, machine FROM vault_key")
        if noted[0][0] == key.id:
            return key
    place = "the one that `vault` in the settings gives" if settings.is_given else str(folder / KEY_FILE)
    raise ConfigError(
        f"The secrets in this database are sealed with the key of {noted[0][1]}, and {place} is not that: copy "
        f"{KEY_FILE} from there (chmod 600), or give its key to all machines with `vault` in the settings.",
        code="vault.other_key",
    )


class SharedCallLimits:
    """The port `CallLimits`: token buckets in the database, of which a process takes a second's worth at once."""

    def __init__(self, db: Database, clock: Callable[[], int]) -> None:
        self._db = db
        self._clock = clock
        self._lock = threading.Lock()
        #: What was taken and not used yet, and when.
        self._in_hand: dict[str, tuple[int, int]] = {}
        self._taken = 0

    def take(self, name: str, per_minute: int) -> float:
        now = self._clock()
        with self._lock:
            left, at = self._in_hand.get(name, (0, 0))
            if left and now - at < MINUTE:
                self._in_hand[name] = (left - 1, at)
                return 0.0
        wanted = max(1, per_minute // 60)
        wait_s = self._from_database(name, per_minute, wanted, now)
        if wait_s and wanted > 1:
            # The last ones, one by one.
            wanted, wait_s = 1, self._from_database(name, per_minute, 1, now)
        if not wait_s:
            with self._lock:
                # Another thread may have taken some, too.
                self._in_hand[name] = (self._in_hand.get(name, (0, 0))[0] + wanted - 1, now)
        return wait_s

    def _from_database(self, name: str, per_minute: int, wanted: int, now: int) -> float:
        self._clean(now)
        most = per_minute * _CALL
        given = {"name": name, "most": most, "wanted": wanted * _CALL, "now": now, "per_minute": per_minute}
        if self._db.execute(_TAKE, given):
            return 0.0
        left, at = (self._db.execute("SELECT left_over, at FROM call_turns WHERE name = ?", (name,)) or [(0, now)])[0]
        missing = wanted * _CALL - min(most, left + (now - at) * per_minute // 60)
        return float(max(missing, 1)) * 60 / per_minute / _CALL

    def _clean(self, now: int) -> None:
        with self._lock:
            self._taken += 1
            is_time = self._taken % _CLEAN_EVERY == 0
            if is_time:
                self._in_hand = {name: (left, at) for name, (left, at) in self._in_hand.items() if now - at < MINUTE}
        if is_time:
            self._db.execute("DELETE FROM call_turns WHERE at < ?", (now - 2 * MINUTE,))


class SharedShelf:
    """The port `ServiceShelf`."""

    def __init__(self, db: Database, clock: Callable[[], int], key: Callable[[], VaultKey]) -> None:
        self._db = db
        self._clock = clock
        self._key = key

    def keep(self, key: str, owner: str, value: bytes, seconds: float) -> None:
        if len(value) > _SHELF_BYTES:
            return
        now = self._clock()
        sealed = self._key().sealed_bytes(value, f"shelf/{owner}/{key}")
        with self._db.write_passing():
            self._db.execute("DELETE FROM shelf WHERE until < ?", (now,))
            self._db.execute(
                "DELETE FROM shelf WHERE owner = ?1 AND key IN "
                "(SELECT key FROM shelf WHERE owner = ?1 ORDER BY kept_at DESC LIMIT 1000 OFFSET ?2)",
                (owner, _SHELF_OF_ONE - 1),
            )
            row = (key, owner, now, now + round(seconds * 1000), sealed)
            self._db.execute("INSERT OR REPLACE INTO shelf VALUES (?, ?, ?, ?, ?)", row)

    def find(self, key: str, owner: str) -> bytes | None:
        rows = self._db.execute(
            "SELECT value FROM shelf WHERE key = ? AND owner = ? AND until > ?", (key, owner, self._clock())
        )
        if not rows:
            return None
        return self._key().opened_bytes(rows[0][0], f"shelf/{owner}/{key}")
