"""Alerts and hits of trials, as pages show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from veille.core.alerts.models import ChannelState
from veille.core.alerts.phrases import brief_edits, headline, one_line, page_url, value_step
from veille.core.alerts.records import Telling, TellingState

if TYPE_CHECKING:
    from veille.core.alerts.models import Alert, ChannelSetup
    from veille.core.alerts.records import AlertLine
    from veille.core.told import TextEdit

#: How much of a change a list shows.
_EXCERPT = 500


@dataclass(frozen=True)
class ShownAlert:
    """An alert in a list."""

    line: AlertLine
    home: str
    channels: Mapping[str, ChannelSetup]

    @property
    def alert(self) -> Alert:
        return self.line.alert

    @property
    def headline(self) -> str:
        return headline(self.alert)

    @property
    def link(self) -> str:
        """Where the change is shown: the same place to which messages lead."""
        return f"{self.home}{self.alert.path}" if self.alert.path else ""

    @property
    def original(self) -> str:
        return page_url(self.alert)

    @property
    def edits(self) -> list[TextEdit]:
        return brief(self.alert.excerpt)

    @property
    def values(self) -> list[tuple[str, str, str, str]]:
        """Name, before, after, and by how much."""
        return [(one_line(one.name, 60), *value_step(one)) for one in self.alert.values]

    @property
    def is_told(self) -> bool:
        """Whether a channel told it, or left it out, so that it can be sent again."""
        return any(one.state in {TellingState.SENT, TellingState.SKIPPED} for one in self.line.tellings)

    def why_waiting(self, telling: Telling) -> str:
        """Why a channel has not told it yet; empty if it has."""
        if telling.state not in {TellingState.WAITING, TellingState.SENDING}:
            return ""
        channel = self.channels.get(telling.channel_id)
        if channel is None or channel.state is ChannelState.ON:
            return f"sends {channel.frequency}" if channel and channel.frequency != "at once" else ""
        return "the channel is paused" if channel.state is ChannelState.PAUSED else "the channel failed"


def brief(edits: Sequence[TextEdit]) -> list[TextEdit]:
    """The telling part of a change, for a list."""
    return brief_edits(edits, _EXCERPT)
