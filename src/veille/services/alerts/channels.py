"""Channels: set up, tried, paused, corrected, ended."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from pydantic import SecretStr

from veille.core.alerts.frequency import frequency_of
from veille.core.alerts.models import ChannelSetup, ChannelState
from veille.core.fingerprint import uuid7
from veille.errors import ConfigError, NotFoundError

if TYPE_CHECKING:
    from veille.core.alerts.records import StoredMessage
    from veille.core.models import Dossier, Json
    from veille.ports import Clock, Dossiers
    from veille.ports.channels import ChannelKinds
    from veille.services.alerts.telling import Teller

MAX_NAME: Final = 100
MOST_CHANNELS: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelWish:
    """A channel to set up."""

    name: str
    kind: str
    options: Mapping[str, Any]
    frequency: str = "at once"
    user_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelTools:
    """What channels need besides their dossier."""

    kinds: ChannelKinds
    teller: Teller
    #: The key that signs addresses which end a channel.
    key: Callable[[], bytes]
    #: What a browser needs to subscribe (`applicationServerKey`).
    push_key: Callable[[], str]
    #: Looks at the alerts of a dossier soon: there may be something to tell.
    wake: Callable[[str], None]


class ChannelService:
    """The channels of any dossier."""

    def __init__(self, dossiers: Dossiers, clock: Clock, tools: ChannelTools) -> None:
        self._dossiers = dossiers
        self._clock = clock
        self._tools = tools

    def kinds(self) -> list[str]:
        """The kinds that people may set up."""
        return self._tools.kinds.kinds()

    def options_schema(self, kind: str) -> Json:
        """The options of a kind as JSON Schema."""
        return self._tools.kinds.kind(kind).Config.model_json_schema()

    def all(self, dossier_id: str) -> list[ChannelSetup]:
        with self._dossiers.open(dossier_id) as store:
            return store.channels.all()

    def find(self, dossier_id: str, name_or_id: str) -> ChannelSetup:
        with self._dossiers.open(dossier_id) as store:
            return store.channels.find(name_or_id)

    def add(self, dossier_id: str, wish: ChannelWish) -> ChannelSetup:
        """Set up a channel; nothing is sent. ConfigError says what is wrong."""
        name = _checked_name(wish.name)
        frequency_of(wish.frequency)
        shown = self._checked(wish.kind, wish.options)
        now = self._clock()
        channel = ChannelSetup(
            id=uuid7(now, dossier_id, secrets.token_hex(8)),
            name=name,
            kind=wish.kind,
            shown=shown,
            frequency=wish.frequency,
            user_id=wish.user_id,
            created_at=now,
        )
        with self._dossiers.open(dossier_id) as store:
            if len(store.channels.all()) >= MOST_CHANNELS:
                raise ConfigError(f"A dossier has at most {MOST_CHANNELS} channels.", code="too_many_channels")
            store.channels.add(channel, *self._apart(wish.kind, wish.options))
        return channel

    def edit(
        self,
        dossier_id: str,
        name_or_id: str,
        *,
        name: str | None = None,
        frequency: str | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> ChannelSetup:
        """Change a channel. Options that are not given stay as they are, and so do secrets that are empty."""
        with self._dossiers.open(dossier_id) as store:
            channel = store.channels.find(name_or_id)
            if frequency is not None:
                frequency_of(frequency)
            channel = replace(
                channel,
                name=channel.name if name is None else _checked_name(name),
                frequency=channel.frequency if frequency is None else frequency,
            )
            if options is None:
                store.channels.update(channel)
                return channel
            hidden = self._tools.kinds.secret_options(channel.kind)
            given = {key: value for key, value in options.items() if value or key not in hidden}
            merged = {**store.channels.options(channel.id), **given}
            channel = replace(channel, shown=self._checked(channel.kind, merged))
            store.channels.update(channel, *self._apart(channel.kind, merged))
        return channel

    def pause(self, dossier_id: str, name_or_id: str) -> ChannelSetup:
        """Send nothing through it for now; what fires is kept for it."""
        return self._set_state(dossier_id, name_or_id, ChannelState.PAUSED)

    def resume(self, dossier_id: str, name_or_id: str) -> ChannelSetup:
        """Send again, beginning with what was kept."""
        return self._set_state(dossier_id, name_or_id, ChannelState.ON)

    def _set_state(self, dossier_id: str, name_or_id: str, state: ChannelState) -> ChannelSetup:
        with self._dossiers.open(dossier_id) as store:
            channel = store.channels.find(name_or_id)
            store.channels.set_state(channel.id, state)
        self._tools.wake(dossier_id)
        return replace(channel, state=state, problem="", attempts=0, retry_at=None)

    def skip(self, dossier_id: str, name_or_id: str) -> bool:
        """Leave out the message that cannot be sent, so that the next ones can; False if there is none."""
        with self._dossiers.open(dossier_id) as store:
            channel = store.channels.find(name_or_id)
            message = store.alerts.open_message(channel.id)
            if message is not None:
                store.alerts.close(message.id, self._clock(), is_skipped=True)
        self._tools.wake(dossier_id)
        return message is not None

    def delete(self, dossier_id: str, name_or_id: str) -> int:
        """Delete a channel with what it had still to tell, until it is restored; returns when."""
        now = self._clock()
        with self._dossiers.open(dossier_id) as store:
            store.trashed_setups.put("channel", store.channels.find(name_or_id).id, now)
        return now

    def test(self, dossier: Dossier, name_or_id: str) -> None:
        """Send a test message now; SinkError or ConfigError if that does not work."""
        with self._dossiers.open(dossier.id) as store:
            channel = store.channels.find(name_or_id)
            options = store.channels.options(channel.id)
        self._tools.teller.test(channel, options, dossier)

    def messages(self, dossier_id: str, name_or_id: str | None, before: int | None, limit: int) -> list[StoredMessage]:
        """What was sent, or is to be sent, newest first."""
        with self._dossiers.open(dossier_id) as store:
            channel_id = store.channels.find(name_or_id).id if name_or_id is not None else None
            return store.alerts.messages(channel_id, before, limit)

    def push_key(self) -> str:
        """What a browser needs to subscribe to messages of this installation."""
        return self._tools.push_key()

    def message(self, dossier_id: str, message_id: str) -> StoredMessage:
        """One message, or NotFoundError."""
        with self._dossiers.open(dossier_id) as store:
            return store.alerts.message(message_id)

    def unsubscribe(self, dossier_id: str, channel_id: str, token: str) -> ChannelSetup:
        """Pause a channel by the address in its messages; NotFoundError if the token is not that of the channel."""
        return self.pause(dossier_id, self.subscribed(dossier_id, channel_id, token).id)

    def subscribed(self, dossier_id: str, channel_id: str, token: str) -> ChannelSetup:
        """The channel that the address in its messages ends; NotFoundError as above."""
        if not hmac.compare_digest(
            token.encode(), unsubscribe_token(self._tools.key(), dossier_id, channel_id).encode()
        ):
            raise NotFoundError("This address ends no channel.", code="no_channel")
        return self.find(dossier_id, channel_id)

    def _checked(self, kind: str, options: Mapping[str, Any]) -> str:
        """Where the channel leads; ConfigError if it cannot be used."""
        with self._tools.kinds.open(kind, options) as opened:
            opened.check()
            return opened.shown()

    def _apart(self, kind: str, options: Mapping[str, Any]) -> tuple[Json, dict[str, Any]]:
        """The options, and apart from them the secret ones."""
        hidden = self._tools.kinds.secret_options(kind)
        return (
            {key: value for key, value in options.items() if key not in hidden},
            {key: _plain(value) for key, value in options.items() if key in hidden},
        )


def unsubscribe_token(key: bytes, dossier_id: str, channel_id: str) -> str:
    """Signs the address that ends a channel."""
    return hmac.new(key, f"unsubscribe/{dossier_id}/{channel_id}".encode(), hashlib.sha256).hexdigest()[:40]


def _plain(value: object) -> object:
    return value.get_secret_value() if isinstance(value, SecretStr) else value


def _checked_name(name: str) -> str:
    name = name.strip()
    if not name or len(name) > MAX_NAME or not name.isprintable():
        raise ConfigError(f"A name has 1 to {MAX_NAME} printable characters.", code="bad_name")
    return name
