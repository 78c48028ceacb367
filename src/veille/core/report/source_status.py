"""Status of sources, for the people who maintain them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from veille.core.models import Change, Source, State

#: A source without changes for so long is idle.
IDLE_MS = 30 * 86_400_000
#: Counts of documents and addresses stop here; beyond this, the exact number does not matter.
MOST = 10_000

#: Changes in display order, the most important first.
WORTH = (Change.ERROR, Change.NEW, Change.CHANGED, Change.REMOVED, Change.DUPLICATE, Change.SKIPPED, Change.SAME)

Health = Literal["all", "failing", "paused", "idle"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFilter:
    """Filter for the sources of a dossier."""

    health: Health = "all"
    kind: str = ""
    #: Text in the name or the address.
    words: str = ""
    tag: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceStatus:
    """A source with its number of documents and its next check."""

    source: Source
    #: Counted up to `MOST`.
    documents: int
    #: None if no check is scheduled: it is broken or paused.
    next_at: int | None
    #: Its changes before this time are quiet, see `core.report.muting`.
    muted_until: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Census:
    """Number of sources of one kind, and how many of them fail, are paused, or are idle."""

    kind: str
    all: int
    failing: int
    paused: int
    idle: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Progress of a check of a source."""

    #: Changes of documents since it began.
    counts: Mapping[Change, int] = field(default_factory=dict)
    #: Addresses that are due or in progress, counted up to `MOST`.
    waiting: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceCounts:
    """The counts of one run for one source."""

    source_id: str
    source_name: str
    counts: Mapping[Change, int]


def offers_reset(source: Source) -> bool:
    """Whether there are failures to reset."""
    return source.failures > 0 or source.state in {State.ERROR, State.BROKEN}


def offers_probe(source: Source) -> bool:
    """Whether a probe is useful, because it failed."""
    return source.failures > 0
