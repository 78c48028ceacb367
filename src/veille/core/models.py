"""The nouns of `docs/glossary.md` as values: frozen, keyword-only, without behaviour that needs the outside.

Here is what a check goes through, from the source to the plan; what is asked of the outside and comes back is in
`core.traffic`, what is kept and told in `core.records`.

Times are integers, milliseconds since 1970 in UTC.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from veille.core.feeds.feed_hints import Rhythm
from veille.core.findings import Budget, Listing, Move, Notice, Quirk
from veille.core.traffic import NO_VALIDATORS, Failure, Payload, Validators

Json = dict[str, Any]


class Change(StrEnum):
    """What a check found out about one document."""

    NEW = "new"
    CHANGED = "changed"
    SAME = "same"
    REMOVED = "removed"
    DUPLICATE = "duplicate"
    SKIPPED = "skipped"
    ERROR = "error"


#: The changes that followers of a dossier hear of; the others are only reported.
TOLD = frozenset({Change.NEW, Change.CHANGED, Change.REMOVED})


class State(StrEnum):
    """How a source is doing. `broken` needs a person; `error` is still being retried; `suspect` answers, oddly."""

    PENDING = "pending"
    OK = "ok"
    UNCHANGED = "unchanged"
    ERROR = "error"
    BROKEN = "broken"
    SUSPECT = "suspect"


#: The states in which something is amiss.
AILING = frozenset({State.ERROR, State.BROKEN, State.SUSPECT})


@dataclass(frozen=True, slots=True, kw_only=True)
class Dossier:
    """A sealed workspace: its own sources, documents, index, keys and limits."""

    id: str
    name: str
    created_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What is watched."""

    id: str
    name: str
    kind: str
    url: str
    config: Json = field(default_factory=dict)
    interval_ms: int = 3_600_000
    #: The interval to go back to when a back-off ends; None while there is no back-off.
    original_interval_ms: int | None = None
    #: The moments it is looked at, instead of an interval; empty for none.
    cron: str = ""
    #: How often it is looked at now, if that follows how often it changes; None when it does not.
    pace_ms: int | None = None
    #: What its feed says about that; only kept of what is looked at as often as it changes.
    rhythm: Rhythm | None = None
    enabled: bool = True
    state: State = State.PENDING
    failures: int = 0
    error_code: str = ""
    error: str = ""
    #: Where its address was last seen to lead for good, and at how many checks in a row.
    moved_to: str = ""
    moved_seen: int = 0
    checked_at: int | None = None
    changed_at: int | None = None
    created_at: int = 0
    updated_at: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One thing to retrieve for a source: saved before it is fetched, leased while it is worked on."""

    id: str
    source_id: str
    url: str
    #: What the kind will make of the answer; the kind chooses the words, the engine only keeps them.
    purpose: str = "root"
    #: Fetch again when this differs from the stamp of the last fetch (an entry's date, a sitemap's lastmod, a run).
    stamp: str = ""
    #: How far from where the source starts, which is 1; nothing farther is fetched while something nearer is due.
    #: 0 for requests whose order does not matter.
    depth: int = 0
    #: What the kind already knows, handed back to it with the answer (a feed entry's title, its parent).
    context: Json = field(default_factory=dict)
    validators: Validators = NO_VALIDATORS
    #: Failures in a row, and the code of the last one.
    attempts: int = 0
    failed_with: str = ""
    #: Workers in a row whose process ended while they had it in hand.
    deaths: int = 0
    #: Comes back at every so-manieth turn of its source; 0 when only a new stamp brings it back.
    every: int = 0
    #: What was seen when it last looked changed, until a second look tells whether it did.
    glimpse: str = ""
    #: Whether nothing is amiss should there be nothing at this address: it was only a guess.
    optional: bool = False
    #: The shape of the address, which the budget of the source is counted by; empty for what is not counted, with a
    #: question mark in front for what is no page.
    pattern: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The right to commit the outcome of one request, until a time, under an epoch no other worker has."""

    dossier_id: str
    source: Source
    request: Request
    worker: str
    epoch: int
    until: int
    #: How often the request had been made due out of turn when it was claimed; should it be again, it is fetched again.
    wakes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One thing with one identity, as read from one payload."""

    #: Who it is: the first key names it within its source, further ones are known across sources (`url:…`).
    keys: tuple[str, ...]
    url: str
    title: str
    #: Plain text with paragraphs and code lines kept.
    text: str
    #: HTML of the content; whoever shows it sanitises it. Empty when there is none.
    html: str = ""
    lang: str = ""
    authors: tuple[str, ...] = ()
    summary: str = ""
    published_at: int | None = None
    modified_at: int | None = None
    media_type: str = "text/html"
    #: Which extraction strategy won and how sure it was (0 to 1).
    strategy: str = ""
    quality: float = 1.0
    meta: Json = field(default_factory=dict)
    #: Whether it was read from a page made for people, which may show something else at every look.
    shown: bool = False
    #: What its page has beside the content, as `core.boilerplate.marks_of` gives it.
    beside: tuple[int, ...] = ()
    #: Further keys it says it has; believed only of a document with the same text.
    claims: tuple[str, ...] = ()
    #: SHA-256 of the normalised text and title: the truth about change.
    content_hash: str = ""
    #: Whether the first wording stands: a search engine words what it found anew each time.
    once: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Everything a kind made of one payload, or why there is nothing."""

    lease: Lease
    payload: Payload | None = None
    failure: Failure | None = None
    documents: tuple[Document, ...] = ()
    requests: tuple[Request, ...] = ()
    #: None when what the source has is not known in full.
    listing: Listing | None = None
    notices: tuple[Notice, ...] = ()
    budget: Budget | None = None
    #: How much the answer named; None when it was not read, being the last one again, or when it is no listing.
    found: int | None = None
    #: What the source says about how often it is worth a look; None when that is as it was.
    rhythm: Rhythm | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What the store already holds about a document, found by one of its keys or by its text."""

    document_id: str
    #: The source whose word counts for its content.
    source_id: str
    content_hash: str
    rev_n: int
    #: `current`, `removed`, or `duplicate` of another document's text.
    state: str
    title: str = ""
    url: str = ""
    #: Whether the source that asks has shown this document before.
    sighted: bool = True
    #: The hash and title that it saw then, if the document's text is or was another source's.
    seen: tuple[str, str] | None = None
    #: Whether its source looks at its very address again and again.
    watched: bool = False
    #: Whether its source is paused or has failed for long, so that another may speak for it.
    silent: bool = False
    #: Whether another request than the one that asks finds it alive at its own address.
    housed: bool = False
    #: Where the text is read that it has: its own address, or of a duplicate that of the other.
    home: str = ""
    #: The stamp of the request that brings it.
    stamp: str = ""


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
    #: For duplicates: the document that has the same text; its own id when it is one document seen by two sources.
    duplicate_of: str = ""
    rev_n: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The decision made from one reading: what to write, what to fetch next, when to come back."""

    lease: Lease
    items: tuple[Item, ...]
    requests: tuple[Request, ...] = ()
    moves: tuple[Move, ...] = ()
    #: What was learned about the quirks of documents, by their ids.
    quirks: tuple[tuple[str, tuple[Quirk, ...]], ...] = ()
    #: What to compare the next look with; empty when that is not needed.
    glimpse: str = ""
    notices: tuple[Notice, ...] = ()
    budget: Budget | None = None
    #: Whether there is something at the address that counts in the budget; None when that is as it was.
    takes_place: bool | None = None
    #: When to fetch this request again; None when only a new stamp brings it back.
    next_due: int | None = None
    attempts: int = 0
    #: None keeps the ones we have: content and validators are never touched by an error.
    validators: Validators | None = None
    state: State = State.OK
    failure: Failure | None = None
    #: Where the source's own address leads for good, empty for nowhere; None when that was not to be seen.
    moved_to: str | None = None
    #: How often the source is looked at from now on; None when that does not follow its changes.
    pace_ms: int | None = None
    #: As in the reading.
    rhythm: Rhythm | None = None
    #: Whether nothing was asked: what is known about the request and its source stays.
    deferred: bool = False
    #: As in the reading.
    found: int | None = None
    duration_ms: int = 0
    wire_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Which dossiers, sources and requests some work is about; None means all."""

    dossiers: frozenset[str] | None = None
    sources: frozenset[str] | None = None
    #: What the requests are for, in the words of their kinds.
    purposes: frozenset[str] | None = None
