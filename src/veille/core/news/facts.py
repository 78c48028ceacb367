"""What the store knows about the feeds and articles of a news dossier, before it becomes rows."""

from __future__ import annotations

from dataclasses import dataclass

from veille.core.models import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedFacts:
    """A feed, how its last look went, and what was noted when it was registered."""

    source: Source
    etag: str
    last_modified: str
    #: The address as it was given.
    given_url: str
    lang: str
    newest_at: int | None
    notes: str
    checked_at: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """The document that an entry led to."""

    id: str
    source_id: str
    #: `current`, `removed`, or `duplicate` of another document's text.
    state: str
    duplicate_of: str
    url: str
    title: str
    lang: str
    revision_id: str
    rev_n: int
    first_seen_at: int
    seen_at: int
    published_at: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An article as one feed lists it, and how far the work on it has come."""

    source_id: str
    feed_url: str
    url: str
    found_at: int
    #: Whether there is something to do: now, or at the next try.
    due: bool
    lock_owner: str
    lock_at: int
    lock_until: int
    attempts: int
    failed_with: str
    error: str
    done_at: int
    fetched_at: int
    title: str
    published_at: int | None
    story: Story | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """One row: an address, and every feed that lists it, in the order they did."""

    row_id: int
    last_seen_at: int
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What a workbook has of a dossier: which file it was, how often it was saved, and the tag of every row."""

    book_id: str = ""
    cursor: int = 0
    tags: frozenset[tuple[str, str, str]] = frozenset()
