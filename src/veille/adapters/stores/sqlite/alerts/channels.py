"""The channels of a dossier, their secret options sealed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from veille.adapters.stores.sqlite._part import Columns, Part
from veille.adapters.stores.sqlite.beginnings import id_beginning
from veille.core.alerts.models import ChannelSetup, ChannelState
from veille.errors import ConfigError, NotFoundError

if TYPE_CHECKING:
    from veille.adapters.stores.database import Database
    from veille.adapters.vault import VaultKey
    from veille.core.models import Json

_CHANNEL: Final = Columns(
    ChannelSetup,
    "id, name, kind, shown, frequency, state, problem, attempts, retry_at, user_id, created_at",
    state=ChannelState,
)


class SqliteChannels(Part):
    """The port `Channels`. The key is loaded only when secrets are stored or used."""

    def __init__(self, db: Database, dossier_id: str, key: Callable[[], VaultKey]) -> None:
        super().__init__(db, dossier_id)
        self._key = key

    def all(self) -> list[ChannelSetup]:
        return self._all(_CHANNEL, "FROM channels ORDER BY name")

    def find(self, name_or_id: str) -> ChannelSetup:
        where = "FROM channels WHERE id = ?1 OR name = ?1 ORDER BY id = ?1 DESC"
        found = self._first(_CHANNEL, where, (name_or_id,))
        if found is None and (begun := id_beginning(self._db, "channels", name_or_id, code="ambiguous_channel")):
            found = self._first(_CHANNEL, where, (begun,))
        if found is None:
            raise NotFoundError(
                f"There is no channel called {name_or_id[:100]!r} in this dossier; `veille channels` lists them, and "
                "`veille channels add` makes one.",
                code="no_channel",
            )
        return found

    def add(self, channel: ChannelSetup, options: Json, secrets: Mapping[str, str]) -> None:
        with self._db.write():
            self._refuse_twin(channel)
            self._db.execute(
                f"INSERT INTO channels ({_CHANNEL}, options, key_id, secrets) "
                f"VALUES ({_CHANNEL.places}, :options, :key_id, :secrets)",
                asdict(channel) | self._packed(channel.id, options, secrets),
            )

    def update(
        self, channel: ChannelSetup, options: Json | None = None, secrets: Mapping[str, str] | None = None
    ) -> None:
        with self._db.write():
            self._refuse_twin(channel)
            given = asdict(channel)
            columns = "name = :name, shown = :shown, frequency = :frequency"
            if options is not None:
                columns += ", options = :options, key_id = :key_id, secrets = :secrets"
                given |= self._packed(channel.id, options, secrets or {})
            self._db.execute(f"UPDATE channels SET {columns} WHERE id = :id", given)

    def options(self, channel_id: str) -> Json:
        for options, sealed in self._db.execute("SELECT options, secrets FROM channels WHERE id = ?", (channel_id,)):
            hidden = json.loads(self._key().opened(sealed, self._context(channel_id))) if sealed else {}
            return {**json.loads(options), **hidden}
        raise NotFoundError("There is no such channel in this dossier.", code="no_channel")

    def set_state(self, channel_id: str, state: ChannelState, problem: str = "") -> None:
        self._db.execute(
            "UPDATE channels SET state = ?2, problem = ?3, attempts = 0, retry_at = NULL WHERE id = ?1",
            (channel_id, state, problem),
        )

    def sealed_under(self) -> dict[str, int]:
        return dict(self._db.execute("SELECT key_id, count(*) FROM channels WHERE key_id <> '' GROUP BY key_id"))

    def _packed(self, channel_id: str, options: Json, secrets: Mapping[str, str]) -> dict[str, object]:
        if not secrets:
            return {"options": json.dumps(options), "key_id": "", "secrets": b""}
        key = self._key()
        sealed = key.sealed(json.dumps(dict(secrets)), self._context(channel_id))
        return {"options": json.dumps(options), "key_id": key.id, "secrets": sealed}

    def _context(self, channel_id: str) -> str:
        return f"{self._dossier_id}/channel/{channel_id}"

    def _refuse_twin(self, channel: ChannelSetup) -> None:
        if self._db.value("SELECT 1 FROM channels WHERE name = ? AND id <> ?", (channel.name, channel.id)):
            raise ConfigError(f"There is a channel called {channel.name!r} already.", code="channel_exists")
