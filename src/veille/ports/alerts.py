"""The ports of alerts: rules, channels, what fired, what is to be told, and what happened to sources and runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from veille.core.alerts.frequency import Sent
    from veille.core.alerts.happening import Happening
    from veille.core.alerts.models import Alert, ChannelSetup, ChannelState, Message, MessageKind, Rule
    from veille.core.alerts.records import AlertFilter, AlertLine, StoredMessage, Verdicts, WaitingAlert
    from veille.core.models import Json


class Rules(Protocol):
    """The rules of a dossier."""

    def all(self) -> list[Rule]:
        """All rules, sorted by name."""

    def find(self, name_or_id: str) -> Rule:
        """The rule of that name or id, or NotFoundError `no_rule`."""

    def add(self, rule: Rule) -> Rule:
        """Save a rule with the number of the last change as its `since_seq`; ConfigError `rule_exists`."""

    def update(self, rule: Rule) -> None:
        """Save a changed rule; ConfigError `rule_exists` if its name is taken. Does nothing if it was deleted."""


class Channels(Protocol):
    """The channels of a dossier. Secret options are sealed, and only returned by `options`."""

    def all(self) -> list[ChannelSetup]:
        """All channels, sorted by name."""

    def find(self, name_or_id: str) -> ChannelSetup:
        """The channel of that name or id, or NotFoundError `no_channel`."""

    def add(self, channel: ChannelSetup, options: Json, secrets: Mapping[str, str]) -> None:
        """Save a channel; ConfigError `channel_exists`."""

    def update(
        self, channel: ChannelSetup, options: Json | None = None, secrets: Mapping[str, str] | None = None
    ) -> None:
        """Save name, frequency and what is shown; and the options, if they are given."""

    def options(self, channel_id: str) -> Json:
        """All options, the secret ones opened: for the one who is about to send."""

    def set_state(self, channel_id: str, state: ChannelState, problem: str = "") -> None:
        """Switch it on, pause it, or declare it failed; its attempts are counted anew."""

    def sealed_under(self) -> dict[str, int]:
        """How many channels are sealed with each key, by key id."""


class AlertReader(Protocol):
    """What fired, read-only."""

    def page(self, wanted: AlertFilter, before: int | None, limit: int) -> list[AlertLine]:
        """Alerts with how they were told, newest first; `before`: the number of the last one seen."""

    def find(self, alert_id: str) -> AlertLine:
        """One alert by its id or number, or NotFoundError `no_alert`."""

    def count(self, rule_id: str, since: int) -> int:
        """How many alerts of a rule there are since a time."""

    def since(self, at: int) -> int:
        """How many of the last thousand alerts are from this time or later."""

    def message(self, message_id: str) -> StoredMessage:
        """One message, or NotFoundError `no_message`."""

    def messages(self, channel_id: str | None, before: int | None, limit: int) -> list[StoredMessage]:
        """Messages, newest first; `before`: the number of the last one seen."""


class Alerts(AlertReader, Protocol):
    """What fired, and what is to be told. An alert is stored once, and told once by each of its channels."""

    def judged(self) -> tuple[int, int]:
        """The number of the last change and of the last happening that were judged."""

    def record(self, verdicts: Verdicts, worker: str, now: int) -> bool:
        """Store what fired, what is to be told, what is done, and how far the judging is, in one transaction.

        False, and nothing is stored, if the worker does not hold the lock `rules` of the outbox, or the judging began
        elsewhere than it is now. An alert that a rule has fired for the same key is not stored again.
        """

    def tellers(self, rule_id: str, document_ids: Sequence[str]) -> str:
        """The id of an alert of this rule about the first appearance of one of these documents; empty if none."""

    def handed(self, sink: str, seqs: Sequence[int]) -> set[int]:
        """Those of these changes that rules hand to a sink."""

    def waiting(self, channel_id: str, limit: int) -> list[WaitingAlert]:
        """What the channel has to tell and is in no message yet, oldest first."""

    def sent(self, channel_id: str, since: int) -> list[Sent]:
        """The messages made since a time, and the last one before."""

    def make(self, message_id: str, channel_id: str, kind: MessageKind, alerts: Sequence[int], now: int) -> bool:
        """Make a message of these waiting alerts, by their numbers; False if one of them is in a message already."""

    def notice(self, message_id: str, channel_id: str, text: str, now: int) -> None:
        """Make a message about veille itself; does nothing if there is one of that id."""

    def open_message(self, channel_id: str) -> StoredMessage | None:
        """The oldest message that is not sent yet; None if there is none."""

    def contents(self, message_id: str) -> list[Alert]:
        """The alerts of a message, in the order they fired."""

    def close(self, message_id: str, now: int, *, is_skipped: bool = False) -> None:
        """Record that a message was sent, or that it will not be; its channel has no failures then."""

    def failed(self, message: Message, problem: str, retry_at: int) -> int:
        """Record a failed attempt with the message and its channel; returns how many there were for it."""

    def resend(self, alert_id: str, channel_ids: Sequence[str]) -> None:
        """Let these channels tell an alert again, in a new message."""


class Happenings(Protocol):
    """What happened to sources and runs: the store records states itself, others record runs."""

    def add(self, happening: Happening) -> None:
        """Record something, and let somebody judge it soon; its number is given by the store."""

    def after(self, seq: int, limit: int) -> list[Happening]:
        """What happened after that number, oldest first."""

    def last_seq(self) -> int:
        """The number of the last one; 0 before the first."""


class AlertTimes(Protocol):
    """When the alerts of each dossier need attention again, for all dossiers of an installation."""

    def set(self, dossier_id: str, at: int | None) -> None:
        """Set the time; None: only when something changes."""

    def due(self, now: int) -> list[str]:
        """The dossiers whose time has come."""
