"""Stored and delivered records, as values: revisions and their chunks, events, runs and deliveries.

Times are integers, milliseconds since 1970 in UTC.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from veille.core.archive.content_state import ContentState
from veille.core.models import Change, Json
from veille.core.told import NOTHING_TOLD, ToldChange


@dataclass(frozen=True, slots=True, kw_only=True)
class _RevisionFacts:
    """What is stored about a version of a document, except its content."""

    id: str
    document_id: str
    source_id: str
    n: int
    url: str
    title: str
    lang: str
    content_hash: str
    extracted_at: int
    published_at: int | None
    meta: Json
    strategy: str
    #: As in `Document`.
    quality: float | None
    state: str = "current"
    kept: ContentState = ContentState.HERE

    @property
    def has_content(self) -> bool:
        """Whether its content can be read."""
        return self.kept in {ContentState.HERE, ContentState.ARCHIVED}

    @property
    def last_modified(self) -> int | None:
        """When it was modified, as far as anybody says; else when it was published."""
        at: int | None = self.meta.get("modified_at") or self.published_at
        return at


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision(_RevisionFacts):
    """One version of a document's content, as stored; the newest is current."""

    text: str
    html: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionLine(_RevisionFacts):
    """A revision in a list, without its content."""

    #: In characters.
    text_length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentLine:
    """A document in a list, without its content."""

    id: str
    source_id: str
    source_name: str
    state: str
    #: The document whose text it repeats.
    duplicate_of: str | None
    url: str
    title: str
    lang: str
    rev_n: int
    published_at: int | None
    first_seen_at: int
    changed_at: int
    #: Sort key in lists, the last changed first.
    place: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFilter:
    """Filter for a list of documents."""

    source_id: str = ""
    state: str = ""
    lang: str = ""
    #: A tag of the document, or of its source.
    tag: str = ""
    #: Only documents with these ids.
    only: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One change that is delivered, in commit order."""

    seq: int
    at: int
    change: Change
    dossier_id: str
    source_id: str
    source_name: str
    kind: str
    document_id: str
    revision_id: str
    rev_n: int
    url: str
    title: str
    #: The names of the metadata that changed, if the text did not; empty for other changes. See also `is_elsewhere`.
    changed_metadata: tuple[str, ...] = ()
    #: Whether the first check of its source found it: it was there before anybody watched.
    is_first: bool = False
    #: What it says at first sight.
    told: ToldChange = NOTHING_TOLD

    @property
    def is_elsewhere(self) -> bool:
        """Whether the document was removed because it is in another dossier now, under the same id."""
        return self.change is Change.REMOVED and self.changed_metadata == ("dossier_id",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parcel:
    """An event with its revision: all that a sink needs."""

    event: Event
    revision: Revision


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A piece of a revision for retrieval; its id is stable as long as its position is."""

    id: str
    document_id: str
    index: int
    total: int
    text: str
    #: Where it was split from the one before: at a `section`, at a `paragraph`, or only because of its `length`.
    strategy: str
    content_hash: str
    #: Offsets of its own part in the revision's text; `overlap` words of the chunk before are repeated before it.
    start: int
    end: int
    overlap: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """The result of delivering changes to one sink."""

    dossier_id: str
    sink: str
    delivered: int
    skipped: int = 0
    pending: int = 0
    code: str = ""
    error: str = ""
    #: When it will be tried again, after a failure.
    retry_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One execution and its report so far."""

    id: str
    dossier_id: str
    started_at: int
    finished_at: int | None
    counts: dict[Change, int]
    items: tuple[RunItem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairRecord:
    """A stored repair: what it changed or would change, and its status."""

    id: str
    source_id: str
    source_name: str
    rule: str
    before: Json
    after: Json
    proof: str
    at: int
    #: None while it is only proposed.
    applied_at: int | None = None
    undone_at: int | None = None

    @property
    def status(self) -> Literal["proposed", "applied", "undone"]:
        if self.undone_at is not None:
            return "undone"
        return "proposed" if self.applied_at is None else "applied"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunItem:
    """One stored line of a run; it is also an entry in the fetch history of its source."""

    run_id: str
    at: int
    source_id: str
    source_name: str
    change: Change
    url: str
    title: str
    code: str
    message: str
    status: int
    document_id: str
    duration_ms: int
    wire_bytes: int
    #: Hash of the document's content; only set in the history of a source.
    content_hash: str = ""
