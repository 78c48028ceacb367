"""Alerts and messages as a store keeps them, and what a judgement stores."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from veille.core.alerts.models import Alert, MessageKind

#: Alerts that were told are kept up to this number in each dossier, the newest first.
KEPT_ALERTS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Fired:
    """An alert to store, and what it is about: a rule fires once for a key."""

    alert: Alert
    key: str
    #: The channels that tell it.
    channels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """What a rule does with a document or a change, apart from telling."""

    document_id: str
    #: The number of the change.
    seq: int
    user_id: str = ""
    tags: tuple[str, ...] = ()
    star: bool = False
    read: bool = False
    hide: bool = False
    sink: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """The result of judging some changes and happenings: everything that is stored in one transaction."""

    #: The numbers of the last change and of the last happening, before and after.
    begin: tuple[int, int]
    end: tuple[int, int]
    fired: tuple[Fired, ...] = ()
    deeds: tuple[Deed, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingAlert:
    """An alert that a channel has to tell: its number, and when it fired."""

    seq: int
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertFilter:
    """Filter for a list of alerts; empty fields mean all."""

    rule_id: str = ""
    source_id: str = ""
    document_id: str = ""
    #: Only those that a channel told or is to tell.
    channel_id: str = ""
    #: Only those of a message.
    message_id: str = ""


class TellingState(StrEnum):
    """How far the telling of an alert by a channel is."""

    WAITING = "waiting"
    SENDING = "sending"
    SENT = "sent"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """An alert and one of its channels."""

    channel_id: str
    channel: str
    state: TellingState
    message_id: str = ""
    sent_at: int | None = None
    attempts: int = 0
    #: Why the last attempt failed.
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertLine:
    """A stored alert, its place in the list, and how it was told."""

    seq: int
    alert: Alert
    tellings: tuple[Telling, ...] = ()


class MessageState(StrEnum):
    """How far a message is."""

    OPEN = "open"
    SENT = "sent"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMessage:
    """A message without its alerts."""

    seq: int
    id: str
    channel_id: str
    channel: str
    kind: MessageKind
    made_at: int
    state: MessageState = MessageState.OPEN
    notice: str = ""
    alerts: int = 0
    attempts: int = 0
    problem: str = ""
    sent_at: int | None = None
