"""Many alerts in one message: by story and by source, the most important first, no longer than a screen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from veille.core.alerts.models import Alert, Message, MessageKind

#: How many entries a message shows: about a screen. A storm is only summed up.
_MOST: Final = {MessageKind.STORM: 5}
_USUAL_MOST: Final = 12
#: How many reasons of an entry are shown, and how many names of other sources.
_REASONS, _NAMES = 3, 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldEntry:
    """One story or change, by its most important alert, with the other alerts about it."""

    alert: Alert
    others: tuple[Alert, ...] = ()

    @property
    def also(self) -> tuple[str, ...]:
        """The names of the other sources that tell it."""
        names = dict.fromkeys(other.source_name for other in self.others if other.source_name)
        names.pop(self.alert.source_name, None)
        return tuple(names)[:_NAMES]

    @property
    def has_excerpt(self) -> bool:
        """Whether the change is quoted: not where its values say it all."""
        return bool(self.alert.excerpt) and not self.alert.values

    def reasons(self, because: Callable[[Alert], Iterable[str]]) -> list[str]:
        """The different reasons of all its alerts."""
        found = dict.fromkeys(reason for alert in (self.alert, *self.others) for reason in because(alert))
        return list(found)[:_REASONS]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldGroup:
    """The entries of one source."""

    heading: str
    entries: tuple[ToldEntry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldGroups:
    """What a message shows, and how many alerts it does not."""

    groups: tuple[ToldGroup, ...]
    more: int = 0


def told_groups(message: Message) -> ToldGroups:
    """The alerts of a message, grouped; the order of the message decides which come first."""
    stories: dict[tuple[str, ...], list[Alert]] = {}
    for alert in message.alerts:
        stories.setdefault(_topic(alert), []).append(alert)
    entries = [ToldEntry(alert=first, others=tuple(others)) for first, *others in stories.values()]
    shown = entries[: _MOST.get(message.kind, _USUAL_MOST)]
    sources: dict[str, list[ToldEntry]] = {}
    for entry in shown:
        sources.setdefault(entry.alert.source_name or entry.alert.rule, []).append(entry)
    told = sum(1 + len(entry.others) for entry in shown)
    return ToldGroups(
        groups=tuple(ToldGroup(heading=name, entries=tuple(found)) for name, found in sources.items()),
        more=len(message.alerts) - told + message.left_out,
    )


def _topic(alert: Alert) -> tuple[str, ...]:
    """What an alert is about: several rules may fire on one change, and several sources tell one story."""
    if alert.story_id:
        return ("story", alert.story_id)
    if alert.seq:
        return ("change", alert.source_id, str(alert.seq))
    return ("alert", alert.id)


def told_sources(alerts: Sequence[Alert]) -> list[tuple[str, int]]:
    """The names of the sources, each with its number of alerts, most first."""
    return Counter(alert.source_name or alert.rule for alert in alerts).most_common()


def told_rules(alerts: Sequence[Alert]) -> list[tuple[str, int]]:
    """The names of the rules, each with its number of alerts, most first."""
    return Counter(alert.rule for alert in alerts).most_common()


def counted(count: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "alert"), counted(2000, "alert")
    ('1 alert', '2,000 alerts')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
