"""A crawl and the addresses it fetched, as stored."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from veille.core.models import Change, Json

Mode = Literal["normal", "full", "since", "url", "retry"]
#: Part of the requests of a mode: all, those that an earlier run left undone, or those not yet fetched in this run.
Part = Literal["all", "rest", "others"]


class CrawlState(StrEnum):
    """State of a crawl; `interrupted`: its process ended unexpectedly."""

    QUEUED = "queued"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


#: States of a crawl that has not ended.
OPEN = frozenset({CrawlState.QUEUED, CrawlState.RUNNING})


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlChoice:
    """What a crawl fetches; by default everything."""

    mode: Mode = "normal"
    #: For `since`: fetch what was not fetched since then. For `retry`: fetch what failed since then.
    since_at: int | None = None
    #: For `url`: the address.
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigVersion:
    """A configuration, with who set it and when."""

    version: int
    config: Json
    set_by: str
    set_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Crawl:
    """One execution of the crawler, with the data for an audit."""

    id: str
    dossier_id: str
    state: CrawlState
    choice: CrawlChoice
    config_version: int
    launched_by: str
    requested_at: int
    started_at: int | None = None
    finished_at: int | None = None
    #: Its lines in the dossier's history: after `first_seq`, up to and including `last_seq`.
    first_seq: int = 0
    last_seq: int | None = None
    code: str = ""
    message: str = ""
    deliveries: list[Json] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlLine:
    """The final result for one address in a crawl."""

    at: int
    change: Change
    url: str
    purpose: str
    #: How it was read, which gives its type (`format:pdf`); empty if it was never read.
    strategy: str
    code: str
    message: str
    status: int
    #: The document at this address; empty if there is none.
    document_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """When the crawler of a dossier runs automatically."""

    dossier_id: str
    cron: str
    zone: str
    set_by: str
    set_at: int
    next_run_at: int
