"""How sources are doing, as those who look after them want to see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from veille.core.models import Change, Source, State

#: A source that brought nothing for so long is idle.
IDLE_MS = 30 * 86_400_000
#: No number of documents or addresses is counted beyond this; to people, more is only "more".
MOST = 10_000

#: What can become of a document, what is worth reading first.
WORTH = (
    Change.ERROR,
    Change.NEW,
    Change.CHANGED,
    Change.REMOVED,
    Change.DUPLICATE,
    Change.SKIPPED,
    Change.SAME,
)

Health = Literal["all", "failing", "paused", "idle"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which sources of a dossier somebody wants to see."""

    health: Health = "all"
    kind: str = ""
    #: What stands in the name or the address.
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A source with what it has and when it has its turn."""

    source: Source
    #: Counted up to `MOST`.
    documents: int
    #: None when nothing brings it back: it is broken, or paused.
    next_at: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Census:
    """How many sources of one kind there are, and how many of these fail, are paused, or idle."""

    kind: str
    all: int
    failing: int
    paused: int
    idle: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a look at a source has come."""

    #: What became of documents since it began.
    counts: Mapping[Change, int] = field(default_factory=dict)
    #: Addresses that wait for their turn or are being fetched, counted up to `MOST`.
    waiting: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What one run counted for one source."""

    source_id: str
    source_name: str
    counts: Mapping[Change, int]


def offers_reset(source: Source) -> bool:
    """Whether there is anything to forget about it."""
    return source.failures > 0 or source.state in {State.ERROR, State.BROKEN}


def offers_probe(source: Source) -> bool:
    """Whether it is worth asking if it answers by now."""
    return source.failures > 0
