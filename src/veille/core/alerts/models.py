"""Rules, channels, alerts and messages, as they are stored and shown.

Times are integers, milliseconds since 1970 in UTC.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from veille.core.rules.facts import Evidence
from veille.core.told import TextEdit
from veille.core.values.value import ValueChange

#: The name of the lock of those who judge, among the locks of sinks; no sink can have it.
RULES_LOCK = "veille:rules"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleScope:
    """What a rule looks at: everything in its dossier, or only what comes from these sources or tags.

    A source is in scope if it is named, or if it has one of the tags.
    """

    sources: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    @property
    def is_everything(self) -> bool:
        return not self.sources and not self.tags

    def covers(self, source_id: str, tags: tuple[str, ...]) -> bool:
        return self.is_everything or source_id in self.sources or not set(self.tags).isdisjoint(tags)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleActions:
    """What is done when a rule fires."""

    #: Ids of the channels that tell of it.
    tell: tuple[str, ...] = ()
    #: Tags for the document.
    tags: tuple[str, ...] = ()
    #: Whether it is starred, or marked as read, for the user who made the rule.
    star: bool = False
    read: bool = False
    #: Whether the change is left out of lists of changes.
    hide: bool = False
    #: A sink that takes only what was found, which gets the change.
    sink: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A condition over the changes of a dossier, and what is done when it holds."""

    id: str
    name: str
    expression: str
    scope: RuleScope = RuleScope()
    actions: RuleActions = RuleActions()
    #: How important its alerts are in digests, 1 to 5.
    weight: int = 3
    enabled: bool = True
    #: The user who made it; empty for the owner of the data folder.
    user_id: str = ""
    created_at: int = 0
    #: It fires for changes after this one, and for what happens to sources after this time.
    since_seq: int = 0
    since_at: int = 0


class ChannelState(StrEnum):
    """Whether a channel sends: `paused` was set by a person, `failed` by the program after too many failures."""

    ON = "on"
    PAUSED = "paused"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelSetup:
    """A channel of a dossier. Its secret options are sealed, and are not in here."""

    id: str
    name: str
    kind: str
    #: Where it leads, for people, without secrets: `anna@example.org`, `ntfy.sh/tea`.
    shown: str = ""
    #: When it sends, as `core.alerts.frequency` reads it.
    frequency: str = "at once"
    state: ChannelState = ChannelState.ON
    #: Why it is not on, or why the last attempt failed; empty if all is well.
    problem: str = ""
    attempts: int = 0
    retry_at: int | None = None
    user_id: str = ""
    created_at: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """One rule that fired on one change, with its evidence; complete, so that it can be told much later."""

    id: str
    rule_id: str
    rule: str
    #: The expression as it was when the rule fired.
    expression: str
    at: int
    #: `change`, `health`, `silence` or `run`, as `core.rules.facts.Occasion`.
    occasion: str
    evidence: tuple[Evidence, ...]
    weight: int = 3
    source_id: str = ""
    source_name: str = ""
    #: `new`, `changed` or `removed`; empty if it is no change of a document.
    change: str = ""
    document_id: str = ""
    revision_id: str = ""
    rev_n: int = 0
    url: str = ""
    title: str = ""
    lang: str = ""
    #: The place of the change in the dossier's list of changes; 0 if it is none.
    seq: int = 0
    #: The smallest telling part of the change, with what was removed and added; the lead of a new document.
    excerpt: tuple[TextEdit, ...] = ()
    words_added: int = 0
    words_removed: int = 0
    #: The values that changed.
    values: tuple[ValueChange, ...] = ()
    story_id: str = ""
    tellers: int = 0
    #: The alert of the same rule that already told this story; empty if this one tells it.
    told_by: str = ""

    @property
    def path(self) -> str:
        """Where it is shown in the pages of its dossier; empty if it is about no document and no source."""
        if not self.document_id:
            return f"/sources/{self.source_id}" if self.source_id else ""
        place = f"/documents/{self.document_id}"
        # Without an excerpt, a value or another fact changed beside a text that stayed: there is nothing to compare.
        if self.change == "changed" and self.rev_n > 1 and self.excerpt:
            return f"{place}/diff?older={self.rev_n - 1}&newer={self.rev_n}"
        return f"{place}?rev={self.rev_n}" if self.rev_n else place


class MessageKind(StrEnum):
    """What a message is."""

    #: One alert.
    ALERT = "alert"
    #: Several alerts that came while the channel had to wait.
    GATHERED = "gathered"
    #: The alerts of a day or a week.
    DIGEST = "digest"
    #: More alerts in an hour than a channel sends one by one.
    STORM = "storm"
    #: Something about veille itself: another channel failed.
    NOTICE = "notice"
    #: A person wants to see whether the channel works.
    TEST = "test"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What is sent through a channel at one time."""

    #: The same at every attempt: receivers that know it already drop the repeat.
    id: str
    kind: MessageKind
    at: int
    dossier_id: str
    dossier: str
    channel_id: str
    channel: str
    #: The most important first.
    alerts: tuple[Alert, ...] = ()
    #: How many more alerts there were than the message has.
    left_out: int = 0
    #: What a notice says.
    notice: str = ""
    #: Where links lead, without a slash at the end; empty if the pages cannot be reached from outside.
    base_url: str = ""
    #: The address that ends this channel with one click; empty if there is none.
    unsubscribe_url: str = ""
    #: The time zone that times are written in.
    zone: str = "UTC"
