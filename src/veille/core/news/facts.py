"""What is stored about the feeds and articles of a news dossier, and the status that every article has by it."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from veille.core.models import Source
from veille.core.news.labels import article_address
from veille.core.urls import url_key

#: Failures by a rule of ours or of the site, which are no errors.
POLICY = frozenset({"robots", "too_large", "bomb", "refused_address", "refused_port", "bad_scheme", "unsupported"})


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleStatus:
    """The content of an article's row, except its texts."""

    row_id: int
    #: pending, processing, stored, duplicate, error or skipped.
    status: str
    entry: ListedArticle
    feeds: tuple[str, ...]
    last_seen_at: int
    url: str
    aliases: tuple[str, ...] = ()
    #: For duplicates: `url` or `text`.
    reason: str = ""

    @property
    def tag(self) -> str:
        """A hash of the row: two rows with the same values have the same hash."""
        lasting = replace(self, entry=replace(self.entry, lock_until=0))
        return hashlib.sha256(repr(lasting).encode()).hexdigest()[:16]


def standings(articles: Sequence[ArticleRow], now: int) -> list[ArticleStatus]:
    """The state of each article; `articles` are in the order of their rows."""
    chosen = [_main(article.entries) for article in articles]
    homes: dict[str, int] = {}
    for article, entry in zip(articles, chosen, strict=True):
        if entry.story is not None and entry.story.state != "duplicate":
            homes.setdefault(entry.story.id, article.row_id)
    found = [_standing(article, entry, homes, now) for article, entry in zip(articles, chosen, strict=True)]
    known_as: defaultdict[int | None, list[str]] = defaultdict(list)
    for one in found:
        story = one.entry.story
        if one.status == "duplicate" and story is not None:
            known_as[homes.get(story.duplicate_of or story.id)].append(one.url)
    return [replace(one, aliases=_unique((*one.aliases, *known_as[one.row_id]), one.url)) for one in found]


def _standing(article: ArticleRow, entry: ListedArticle, homes: dict[str, int], now: int) -> ArticleStatus:
    story = entry.story
    url = article_address(story.url if story is not None else entry.url)
    reason = ""
    if story is not None and story.state == "duplicate":
        reason = "text"
    elif story is not None and homes[story.id] != article.row_id:
        reason = "url"
    addresses = tuple(article_address(one.url) for one in article.entries if url_key(one.url) != url_key(url))
    return ArticleStatus(
        row_id=article.row_id,
        status=_status(entry, reason, now),
        entry=entry,
        feeds=tuple(dict.fromkeys(one.feed_url for one in article.entries)),
        last_seen_at=article.last_seen_at,
        url=url,
        aliases=addresses,
        reason=reason,
    )


def _main(entries: Sequence[ListedArticle]) -> ListedArticle:
    """The main entry of a row: of the feed that owns the document, else with a document, else without a failure."""

    def rank(entry: ListedArticle) -> int:
        if entry.story is not None:
            return 0 if entry.story.source_id == entry.source_id else 1
        return 3 if entry.failed_with else 2

    return min(entries, key=rank)


def _status(entry: ListedArticle, reason: str, now: int) -> str:
    if entry.lock_owner and entry.lock_until > now:
        return "processing"
    if entry.failed_with:
        return "skipped" if entry.failed_with in POLICY else "error"
    if entry.due:
        return "pending"
    if reason:
        return "duplicate"
    # Without a story: fetched, but there was no text.
    return "stored" if entry.story is not None else "skipped"


def _unique(urls: Iterable[str], own: str) -> tuple[str, ...]:
    return tuple(url for url in dict.fromkeys(urls) if url != own)
