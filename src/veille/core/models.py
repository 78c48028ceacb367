"""The terms of `docs/glossary.md` as values: frozen, keyword-only, without I/O.

This module has the values of a check, from the source to the plan; HTTP requests and answers are in `core.traffic`,
stored and delivered records in `core.records`.

Times are integers, milliseconds since 1970 in UTC.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict

from veille.core.browsing.pictures import Picture
from veille.core.feed_hints import Rhythm
from veille.core.told import NOTHING_TOLD, ToldChange
from veille.core.traffic import NO_VALIDATORS, Failure, Payload, Validators
from veille.core.values.value import Value

Json = dict[str, Any]


class StrictModel(BaseModel):
    """Base class of options and of JSON documents: rejects unknown keys, and is immutable."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Change(StrEnum):
    """The result of a check for one document."""

    NEW = "new"
    CHANGED = "changed"
    SAME = "same"
    REMOVED = "removed"
    DUPLICATE = "duplicate"
    SKIPPED = "skipped"
    ERROR = "error"


#: The changes that are delivered as events; the others are only in the report of the run.
TOLD = frozenset({Change.NEW, Change.CHANGED, Change.REMOVED})


class State(StrEnum):
    """Health of a source: `broken` needs a person; `error` is retried; `suspect` answers, but implausibly."""

    PENDING = "pending"
    OK = "ok"
    UNCHANGED = "unchanged"
    ERROR = "error"
    BROKEN = "broken"
    SUSPECT = "suspect"


#: The states in which something is wrong.
AILING = frozenset({State.ERROR, State.BROKEN, State.SUSPECT})


class KeepRaw(StrEnum):
    """Which bodies of answers are kept as they came: of no revision, of the newest of each document, or of all."""

    NONE = "none"
    LAST = "last"
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dossier:
    """An isolated workspace with its own sources, documents, index, keys and limits."""

    id: str
    name: str
    created_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Something that is watched, with its schedule and state."""

    id: str
    name: str
    kind: str
    url: str
    config: Json = field(default_factory=dict)
    interval_ms: int = 3_600_000
    #: The interval to restore when a back-off ends; None while there is no back-off.
    original_interval_ms: int | None = None
    #: Cron expression for its checks, used instead of the interval; empty for none.
    cron: str = ""
    #: The current interval, if it adapts to how often the source changes; None if it does not.
    pace_ms: int | None = None
    #: Update hints of its feed; only kept for sources with an adaptive interval.
    rhythm: Rhythm | None = None
    enabled: bool = True
    state: State = State.PENDING
    failures: int = 0
    error_code: str = ""
    error: str = ""
    #: Target of the last permanent redirect of its address, and at how many checks in a row it was seen.
    moved_to: str = ""
    moved_seen: int = 0
    checked_at: int | None = None
    changed_at: int | None = None
    created_at: int = 0
    updated_at: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One address to fetch for a source: saved before it is fetched, leased while it is in progress."""

    id: str
    source_id: str
    url: str
    #: How the kind will read the answer; the kind chooses the value, the engine only stores it.
    purpose: str = "root"
    #: Fetch again when this differs from the stamp of the last fetch (an entry's date, a sitemap's lastmod, a run).
    stamp: str = ""
    #: Distance from the start of the source, which has depth 1; lower depths are fetched first.
    #: 0 for requests whose order does not matter.
    depth: int = 0
    #: What the kind already knows, passed back to it with the answer (a feed entry's title, its parent).
    context: Json = field(default_factory=dict)
    validators: Validators = NO_VALIDATORS
    #: Failures in a row, and the code of the last one.
    attempts: int = 0
    failed_with: str = ""
    #: How many workers in a row died while they processed it.
    deaths: int = 0
    #: Fetched at every Nth check of its source; 0 if only a new stamp makes it due.
    every: int = 0
    #: The fetches of an apparent change, as JSON, until a second fetch confirms it; empty otherwise.
    glimpse: str = ""
    #: Whether a missing page is no error: the address was only a guess.
    optional: bool = False
    #: The URL pattern under which the source's budget counts it; empty if it is not counted, with a leading question
    #: mark if it is not a page.
    pattern: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The right to commit the outcome of one request until a time; `epoch` is the fencing token."""

    dossier_id: str
    source: Source
    request: Request
    worker: str
    epoch: int
    until: int
    #: How often the request had been made due early when it was claimed; if that happens again, it is fetched again.
    wakes: int
    #: What applies to its source: its own option, or the dossier's.
    keep_raw: KeepRaw = KeepRaw.NONE
    #: Whether the first check of its source is not complete yet.
    is_first: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One item with one identity, as read from one payload."""

    #: Identity: the first key identifies it within its source, further ones across sources (`url:…`).
    keys: tuple[str, ...]
    url: str
    title: str
    #: Plain text with paragraphs and code lines kept.
    text: str
    #: HTML of the content, not sanitised: views must sanitise it. Empty if there is none.
    html: str = ""
    lang: str = ""
    authors: tuple[str, ...] = ()
    summary: str = ""
    published_at: int | None = None
    modified_at: int | None = None
    media_type: str = "text/html"
    #: The extraction strategy that won.
    strategy: str = ""
    #: The share of the words of its page's main container in the text, 0 to 1; None if unknown, or if it is no page.
    quality: float | None = None
    meta: Json = field(default_factory=dict)
    #: Each name once.
    values: tuple[Value, ...] = ()
    #: Whether it was read from a web page, which may differ at every fetch.
    shown: bool = False
    #: Boilerplate of its page, as `core.compare.boilerplate.marks_of` returns it.
    beside: tuple[int, ...] = ()
    #: Further keys that it claims; accepted only if a document with that key has the same text.
    claims: tuple[str, ...] = ()
    #: SHA-256 of the normalised text and title: it decides whether the document changed.
    content_hash: str = ""
    #: Whether the first text is kept for good: snippets of search engines differ at every query.
    once: bool = False
    #: A picture of its page, if one is kept.
    picture: Picture | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How many requests a source may save, in total and per URL pattern, and how long one check may run."""

    pages: int
    per_pattern: int
    #: 0 for no limit.
    run_ms: int = 0
    #: New requests saved from one answer; 0 for no limit.
    fresh: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The keys of all documents of a source. It is complete: a document that is not in it is gone."""

    keys: tuple[str, ...]
    #: Start time of a listing in several answers: documents seen since then are not gone.
    since: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something that was left out on purpose, and why. Notices with the same `about` are reported once in a run."""

    code: str
    url: str
    message: str
    about: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A further address of a known document, which stays the same document."""

    document_id: str
    url: str
    #: Whether this is its main address now; if not, the address is only an alias.
    home: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Quirk:
    """A line that appears, disappears or moves without a change of the content."""

    line: tuple[str | None, ...]
    #: How often that was seen, and when last.
    proofs: int = 1
    at: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Everything that a kind read from one payload, or the failure."""

    lease: Lease
    payload: Payload | None = None
    failure: Failure | None = None
    documents: tuple[Document, ...] = ()
    requests: tuple[Request, ...] = ()
    #: None if the complete content of the source is not known.
    listing: Listing | None = None
    notices: tuple[Notice, ...] = ()
    budget: Budget | None = None
    #: Number of items in the answer; None if it was not read because it did not change, or if it is no listing.
    found: int | None = None
    #: Update hints of the source; None if they did not change.
    rhythm: Rhythm | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is stored about a document, found by one of its keys or by its text."""

    document_id: str
    #: The source that owns its content.
    source_id: str
    content_hash: str
    rev_n: int
    #: `current`, `removed`, or `duplicate` of another document's text.
    state: str
    title: str = ""
    url: str = ""
    #: Whether the checked source has seen this document before.
    sighted: bool = True
    #: The hash and title that the checked source saw, if another source owns or owned the text.
    seen: tuple[str, str] | None = None
    #: Whether its source fetches its own address regularly.
    watched: bool = False
    #: Whether its source is paused or has failed for long, so that another source may take over.
    silent: bool = False
    #: Whether a request other than the current one finds it at its own address.
    housed: bool = False
    #: The address its text is read from: its own or, for a duplicate, that of the other document.
    home: str = ""
    #: The stamp of the request that fetches it.
    stamp: str = ""
    #: Whether other documents are duplicates of it.
    repeated: bool = False
    #: Its metadata, as `core.change.metadata_changes.facts_of` returns it; empty if unknown.
    facts: str = ""
    #: When it was last seen; a later time does not make a decision stale.
    seen_at: int | None = field(default=None, compare=False)
    #: Ids of the sources and requests that `watched`, `silent` and `housed` depend on, and of the document at `home`.
    depends: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One line of a run's report."""

    change: Change
    url: str
    title: str = ""
    code: str = ""
    message: str = ""
    status: int = 0
    document: Document | None = None
    document_id: str = ""
    #: For duplicates: the document with the same text; its own id if two sources have the same document.
    duplicate_of: str = ""
    rev_n: int = 0
    #: The names of the metadata that changed, if the text did not: the revision stays, its metadata is updated.
    restated: tuple[str, ...] = ()
    #: What it says at first sight, if it is told to anybody.
    told: ToldChange = NOTHING_TOLD

    @property
    def brings_text(self) -> bool:
        """Whether its document has a new text, or is gone."""
        return self.change in TOLD and not self.restated


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The decision made from one reading: what to write, what to fetch next, and when to fetch again."""

    lease: Lease
    items: tuple[Item, ...]
    requests: tuple[Request, ...] = ()
    moves: tuple[Move, ...] = ()
    #: The new quirks of documents, by document id.
    quirks: tuple[tuple[str, tuple[Quirk, ...]], ...] = ()
    #: The fetches so far, to compare with a second fetch; empty if none is needed.
    glimpse: str = ""
    notices: tuple[Notice, ...] = ()
    budget: Budget | None = None
    #: Whether the request counts in the budget; None for no change.
    takes_place: bool | None = None
    #: When to fetch this request again; None if only a new stamp makes it due.
    next_due: int | None = None
    attempts: int = 0
    #: None keeps the stored ones, as after a failure.
    validators: Validators | None = None
    state: State = State.OK
    failure: Failure | None = None
    #: Target of a permanent redirect of the source's own address, empty if there is none; None if unknown.
    moved_to: str | None = None
    #: The interval of the source from now on; None if it does not adapt to its changes.
    pace_ms: int | None = None
    #: As in the reading.
    rhythm: Rhythm | None = None
    #: Whether the request was not sent: its state and that of its source stay as they are.
    deferred: bool = False
    #: As in the reading.
    found: int | None = None
    #: The answer, if its body is kept with the revisions that come of it.
    kept: Payload | None = None
    #: The first of two pictures, kept until the second fetch.
    first_picture: Picture | None = None
    duration_ms: int = 0
    wire_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The dossiers, sources and requests that some work covers; None means all."""

    dossiers: frozenset[str] | None = None
    sources: frozenset[str] | None = None
    #: Purposes of requests, as their kinds name them.
    purposes: frozenset[str] | None = None
