"""Sends what fired through the channels: each alert once, in order, with the same message at every attempt."""

from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from veille.core.alerts.frequency import MOST_ALERTS, bundled, frequency_of
from veille.core.alerts.importance import by_importance
from veille.core.alerts.models import ChannelSetup, ChannelState, Message, MessageKind
from veille.core.fingerprint import uuid7
from veille.core.outgoing.delivery_attempts import is_waiting, next_try
from veille.core.records import Delivery
from veille.core.schedule import HOUR, SECOND
from veille.errors import SinkError, VeilleError
from veille.failpoints import failpoint

if TYPE_CHECKING:
    from veille.core.alerts.records import StoredMessage
    from veille.core.models import Dossier
    from veille.ports import Clock, DossierStore
    from veille.ports.channels import Channel, ChannelKinds
    from veille.services.alerts.locks import Locks

#: Failures in a row after which a channel is declared failed: about six hours with growing pauses.
MOST_ATTEMPTS: Final = 14
#: The same for refusals, which only a person can end.
MOST_REFUSALS: Final = 3
#: Channels that send at once.
_THREADS: Final = 8
#: When to look again at a channel that another process is sending through.
_BUSY_MS: Final = 5 * SECOND


@dataclass(frozen=True, slots=True, kw_only=True)
class TellingTools:
    """What is the same for all channels."""

    locks: Locks
    clock: Clock
    kinds: ChannelKinds
    #: More alerts than this in an hour are a storm.
    storm: int
    #: Where links in messages lead; and the address that ends a channel.
    base_url: str = ""
    unsubscribe: Callable[[str, str], str] = lambda _dossier, _channel: ""


class Told(NamedTuple):
    """What the channels of a dossier sent, and when they have to send again; None if nothing waits."""

    deliveries: tuple[Delivery, ...]
    next_at: int | None


class Teller:
    """Sends through all channels of a dossier at once; a slow one delays no other."""

    def __init__(self, tools: TellingTools) -> None:
        self._tools = tools

    def tell(
        self,
        store: DossierStore,
        dossier: Dossier,
        stop: Callable[[], bool] = lambda: False,
        *,
        at_once: bool = False,
    ) -> Told:
        """Send what is due; `at_once`: also through channels that failed and are to be left alone yet."""
        channels = [one for one in store.channels.all() if one.state is ChannelState.ON]
        if at_once:
            channels = [replace(one, retry_at=None) for one in channels]
        if not channels:
            return Told((), None)
        turns = [_Turn(self._tools, store, dossier, channel, stop) for channel in channels]
        with ThreadPoolExecutor(min(_THREADS, len(turns)), "veille-tell") as threads:
            times = list(threads.map(_Turn.take, turns))
        return Told(
            tuple(turn.report() for turn in turns if turn.has_something),
            min((at for at in times if at is not None), default=None),
        )

    def test(self, channel: ChannelSetup, options: dict[str, object], dossier: Dossier) -> None:
        """Send a test message, and wait for the answer; SinkError or ConfigError if it did not work."""
        now = self._tools.clock()
        notice = f"This is a test of the channel {channel.name!r}. If you can read this, it works."
        message = Message(
            id=uuid7(now, "test", channel.id),
            kind=MessageKind.TEST,
            at=now,
            dossier_id=dossier.id,
            dossier=dossier.name,
            channel_id=channel.id,
            channel=channel.name,
            notice=notice,
            base_url=self._tools.base_url,
            unsubscribe_url=self._tools.unsubscribe(dossier.id, channel.id),
        )
        with self._tools.kinds.open(channel.kind, options) as opened:
            opened.send(message)


class _Turn:
    """One channel of one dossier."""

    def __init__(
        self,
        tools: TellingTools,
        store: DossierStore,
        dossier: Dossier,
        channel: ChannelSetup,
        stop: Callable[[], bool],
    ) -> None:
        self._tools = tools
        self._store = store
        self._dossier = dossier
        self._channel = channel
        self._stop = stop
        self._lock = f"veille:channel:{channel.id}"
        self._opened = ExitStack()
        self._sender: Channel | None = None
        self._told = 0
        self._problem: tuple[str, str, int | None] = ("", "", None)

    @property
    def has_something(self) -> bool:
        """Whether it told something, or tried to."""
        return bool(self._told or self._problem[0])

    def report(self) -> Delivery:
        code, error, retry_at = self._problem
        alerts, channel_id = self._store.alerts, self._channel.id
        message = alerts.open_message(channel_id)
        waiting = len(alerts.waiting(channel_id, MOST_ALERTS)) + (max(1, message.alerts) if message else 0)
        return Delivery(
            dossier_id=self._dossier.id,
            sink=f"channel {self._channel.name}",
            delivered=self._told,
            pending=waiting,
            code=code,
            error=error,
            retry_at=retry_at,
        )

    def take(self) -> int | None:
        """Send what is due; returns when to go on."""
        now = self._tools.clock()
        retry_at = self._channel.retry_at
        if retry_at is not None and is_waiting(retry_at, now):
            return retry_at
        try:
            # Renewed for every message, as sending may take long.
            while not self._stop():
                if not self._tools.locks.take(self._store, self._lock):
                    return now + _BUSY_MS
                message = self._store.alerts.open_message(self._channel.id)
                if message is not None:
                    if (retry_at := self._sent(message)) is not None:
                        return retry_at
                elif (at := self._made()) is None or at > now:
                    return at
        finally:
            self._opened.close()
            self._tools.locks.release(self._store, self._lock)
        return now

    def _made(self) -> int | None:
        """Make the next message of what waits, if it is time for it; returns when to go on, 0 for at once."""
        now, alerts, channel = self._tools.clock(), self._store.alerts, self._channel
        waiting = alerts.waiting(channel.id, MOST_ALERTS + 1)
        plan = bundled(
            frequency_of(channel.frequency),
            [one.at for one in waiting],
            alerts.sent(channel.id, now - HOUR),
            now,
            self._tools.storm,
        )
        if not plan.bundles:
            return plan.next_at
        kind, count = plan.bundles[0]
        taken = [one.seq for one in waiting[:count]]
        alerts.make(uuid7(now, channel.id, *map(str, taken)), channel.id, kind, taken, now)
        failpoint("after_message")
        return 0

    def _sent(self, stored: StoredMessage) -> int | None:
        """Send a message; returns when to try again, None if it was sent."""
        store, channel, tools = self._store, self._channel, self._tools
        message = self._message(stored)
        try:
            if self._sender is None:
                opened = tools.kinds.open(channel.kind, store.channels.options(channel.id))
                self._sender = self._opened.enter_context(opened)
            self._sender.send(message)
        except SinkError as error:
            return self._failed(message, error, is_refused=error.set_aside, wish_s=error.retry_after)
        except VeilleError as error:
            # Its options cannot be used any more: a person has to correct them.
            return self._failed(message, error, is_refused=True)
        failpoint("after_telling")
        store.alerts.close(message.id, tools.clock())
        self._told += max(1, len(message.alerts))
        return None

    def _failed(self, message: Message, error: VeilleError, *, is_refused: bool, wish_s: int | None = None) -> int:
        store, channel, now = self._store, self._channel, self._tools.clock()
        share = random.random()  # noqa: S311 - jitter, not a secret
        retry_at = next_try(now, channel.attempts + 1, share, wish_s)
        attempts = store.alerts.failed(message, str(error), retry_at)
        self._problem = (error.code, str(error), retry_at)
        if attempts >= (MOST_REFUSALS if is_refused else MOST_ATTEMPTS):
            self._give_up(message, str(error), now)
        return retry_at

    def _give_up(self, message: Message, problem: str, now: int) -> None:
        """Declare the channel failed, and tell so by another one. What it had to tell stays."""
        store, channel = self._store, self._channel
        others = [one for one in store.channels.all() if one.state is ChannelState.ON and one.id != channel.id]
        # Rather by a channel of the same user.
        others.sort(key=lambda one: (one.user_id != channel.user_id, one.created_at))
        text = (
            f"The channel {channel.name!r} does not work any more: {problem} What it had to tell is kept. Correct it, "
            f"then switch it on again: veille channels resume {channel.name!r}"
        )
        for other in others[:1]:
            # Before the state: after a crash here the same notice is made again, and is known.
            store.alerts.notice(uuid7(message.at, "failed", channel.id, message.id), other.id, text, now)
        store.channels.set_state(channel.id, ChannelState.FAILED, problem)

    def _message(self, stored: StoredMessage) -> Message:
        alerts = self._store.alerts.contents(stored.id)
        return Message(
            id=stored.id,
            kind=stored.kind,
            at=stored.made_at,
            dossier_id=self._dossier.id,
            dossier=self._dossier.name,
            channel_id=self._channel.id,
            channel=self._channel.name,
            alerts=tuple(by_importance(alerts)),
            notice=stored.notice,
            base_url=self._tools.base_url,
            unsubscribe_url=self._tools.unsubscribe(self._dossier.id, self._channel.id),
            zone=frequency_of(self._channel.frequency).zone,
        )
