"""One crawl and what it looked at, as stored."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from veille.core.models import Change, Json

Mode = Literal["normal", "full", "since", "url", "retry"]
#: Of what a mode looks at: all, what an earlier run left undone, or what this one did not look at yet.
Part = Literal["all", "rest", "others"]


class CrawlState(StrEnum):
    """`interrupted`: its process is gone without a word."""

    QUEUED = "queued"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


#: It has not come to an end.
OPEN = frozenset({CrawlState.QUEUED, CrawlState.RUNNING})


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What a crawl looks at: everything without further words."""

    mode: Mode = "normal"
    #: For `since`: what was not looked at since then. For `retry`: what failed since then.
    since_at: int | None = None
    #: For `url`: the address.
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigVersion:
    """A configuration, and who set it when."""

    version: int
    config: Json
    set_by: str
    set_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Crawl:
    """One execution of the crawler, with what an auditor asks for."""

    id: str
    dossier_id: str
    state: CrawlState
    choice: Choice
    config_version: int
    launched_by: str
    requested_at: int
    started_at: int | None = None
    finished_at: int | None = None
    #: The lines of the dossier's history that are its own: after the first, up to the last.
    first_seq: int = 0
    last_seq: int | None = None
    code: str = ""
    message: str = ""
    deliveries: list[Json] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlLine:
    """What became of one address in a crawl; the last word on it."""

    at: int
    change: Change
    url: str
    purpose: str
    #: How it was read, which tells what it is (`format:pdf`); empty when it never was.
    strategy: str
    code: str
    message: str
    status: int
    #: The document at this address; empty when there is none.
    document_id: str
