"""What is stored about the feeds and articles of a news dossier, before it becomes rows."""

from __future__ import annotations

from dataclasses import dataclass

from veille.core.models import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedFacts:
    """A feed, the result of its last check, and the notes from its registration."""

    source: Source
    etag: str
    last_modified: str
    #: The address as the user wrote it.
    given_url: str
    lang: str
    newest_at: int | None
    notes: str
    checked_at: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredArticle:
    """The document of an entry."""

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
class ListedArticle:
    """An article as one feed lists it, and the progress of its processing."""

    source_id: str
    feed_url: str
    url: str
    found_at: int
    #: Whether it is still to be fetched, now or at the next retry.
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
    story: StoredArticle | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleRow:
    """One row: an address, and every feed that lists it, in order of first listing."""

    row_id: int
    last_seen_at: int
    entries: tuple[ListedArticle, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What a workbook contains of a dossier: the id of the file, its save counter, and the tag of every row."""

    book_id: str = ""
    cursor: int = 0
    tags: frozenset[tuple[str, str, str]] = frozenset()
