"""Deleted sources, rules, channels, saved searches and search engines that can be restored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from veille.core.schedule import DAY

#: How long what was deleted can be restored.
TRASH_MS = 7 * DAY


@dataclass(frozen=True, slots=True, kw_only=True)
class TrashedSource:
    """A deleted source."""

    id: str
    name: str
    kind: str
    url: str
    trashed_at: int
    #: The documents that went with it, counted up to `source_status.MOST`.
    documents: int

    @property
    def gone_at(self) -> int:
        """From when on it may be deleted for good."""
        return self.trashed_at + TRASH_MS


#: What can be set up and deleted beside sources.
SetupKind = Literal["rule", "channel", "search", "engine"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrashedSetup:
    """A deleted rule, channel, saved search or search engine."""

    kind: SetupKind
    id: str
    name: str
    trashed_at: int

    @property
    def gone_at(self) -> int:
        """From when on it may be deleted for good."""
        return self.trashed_at + TRASH_MS
