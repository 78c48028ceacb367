"""The rows of news workbooks: which row each article has, and which rows a workbook already contains."""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._part import Columns
from veille.adapters.stores.sqlite._rows import SOURCE
from veille.core.news.facts import ArticleRow, FeedFacts, ListedArticle, StoredArticle, Written
from veille.core.news.labels import article_hash

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from veille.adapters.stores.database import Database
    from veille.adapters.stores.database import Row as Record
    from veille.core.news.sheets import Row


_FEED = Columns(
    FeedFacts,
    "etag, last_modified, coalesce(given_url, '') AS given_url, coalesce(lang, '') AS lang, newest_at, "
    "coalesce(notes, '') AS notes, news_feeds.checked_at",
)
_ENTRY = Columns(
    ListedArticle,
    "requests.source_id, sources.url AS feed_url, requests.url, found_at, due_at IS NOT NULL AS due, "
    "coalesce(lease_owner, '') AS lock_owner, leased_at AS lock_at, lease_until AS lock_until, attempts, failed_with, "
    "requests.error, done_at, full_at AS fetched_at, coalesce(context ->> 'title', '') AS title, "
    "CAST(context ->> 'published_at' AS INTEGER) AS published_at",
    due=bool,
)
_STORY = Columns(
    StoredArticle,
    "documents.id, documents.source_id, documents.state, coalesce(duplicate_of, '') AS duplicate_of, documents.url, "
    "title, lang, coalesce(revision_id, '') AS revision_id, rev_n, first_seen_at, documents.seen_at, published_at",
)
#: The entries of rows with entries that were never fetched, in the order in which to fetch them.
_ENTRIES = (
    "SELECT request_id, row_number() OVER (PARTITION BY row_id ORDER BY document_id IS NULL, failed_with <> '', "
    "found_at, request_id) AS place, max(iif(document_id IS NULL AND due_at IS NULL AND lease_owner IS NULL, 0, 1)) "
    "OVER (PARTITION BY row_id) AS hopeful FROM news_entries JOIN requests ON requests.id = request_id "
    "WHERE row_id IN (SELECT row_id FROM news_entries JOIN requests ON requests.id = request_id WHERE lease_epoch = 0)"
)


class SqliteNews:
    """The port `News`."""

    def __init__(self, db: Database, wake: Callable[[int], None]) -> None:
        self._db = db
        self._wake = wake

    def register(self, feed: FeedFacts) -> None:
        self._db.execute(
            "INSERT OR REPLACE INTO news_feeds VALUES (?, ?, ?, ?, ?, ?)",
            (feed.source.id, feed.given_url, feed.lang, feed.newest_at, feed.notes, feed.checked_at),
        )

    def listed(self, source_id: str, request_ids: Sequence[str], newest_at: int | None, now: int) -> tuple[int, int]:
        with self._db.write():
            new = self._number(now, request_ids)
            self._db.execute(
                "UPDATE news_rows SET seen_at = ?1 WHERE row_id IN (SELECT row_id FROM news_entries "
                "WHERE request_id IN (SELECT value FROM json_each(?2)))",
                (now, json.dumps(list(request_ids))),
            )
            known = self._db.changes() - new
            self._db.execute(
                "UPDATE news_feeds SET newest_at = max(coalesce(newest_at, 0), ?2) WHERE source_id = ?1 AND ?2 > 0",
                (source_id, newest_at or 0),
            )
        return new, max(0, known)

    def number(self, now: int) -> int:
        with self._db.write():
            new = self._number(now)
            woken = self._share(now)
        if woken:
            self._wake(now)
        return new

    def _share(self, now: int) -> int:
        """Fetch one entry per row, and the next only if its address has nothing; returns how many were made due."""
        self._db.execute(
            "UPDATE requests SET due_at = ?1 WHERE due_at IS NULL AND lease_epoch = 0 AND id IN "
            f"(SELECT request_id FROM ({_ENTRIES}) WHERE hopeful = 0)",
            (now,),
        )
        woken = self._db.changes()
        self._db.execute(
            "UPDATE requests SET due_at = NULL WHERE due_at IS NOT NULL AND lease_epoch = 0 AND wakes = 0 "
            f"AND id IN (SELECT request_id FROM ({_ENTRIES}) WHERE place > 1)"
        )
        return woken

    def _number(self, now: int, among: Sequence[str] | None = None) -> int:
        bounds = "" if among is None else "AND requests.id IN (SELECT value FROM json_each(:among))"
        found = self._db.execute(
            "SELECT requests.id, requests.url FROM requests JOIN sources ON sources.id = source_id "
            "WHERE purpose = 'entry' AND kind = 'feed' AND requests.id NOT IN (SELECT request_id FROM news_entries) "
            f"{bounds} ORDER BY found_at, source_id, requests.id",
            {} if among is None else {"among": json.dumps(list(among))},
        )
        new = 0
        for request_id, url in found:
            key = article_hash(url)
            self._db.execute("INSERT OR IGNORE INTO news_rows (url_hash, seen_at) VALUES (?, ?)", (key, now))
            new += self._db.changes()
            self._db.execute(
                "INSERT INTO news_entries SELECT ?, row_id FROM news_rows WHERE url_hash = ?", (request_id, key)
            )
        return new

    def feeds(self) -> list[FeedFacts]:
        columns = ", ".join(f"sources.{name}" for name in str(SOURCE).split(", "))
        rows = self._db.execute(
            f"SELECT {_FEED}, {columns} FROM sources "
            "JOIN requests ON requests.source_id = sources.id AND purpose = 'root' "
            "LEFT JOIN news_feeds ON news_feeds.source_id = sources.id WHERE kind = 'feed' "
            "ORDER BY sources.created_at, sources.id"
        )
        return [_FEED(row, source=SOURCE(row[len(_FEED) :])) for row in rows]

    def articles(self) -> list[ArticleRow]:
        rows = self._db.execute(
            f"SELECT row_id, news_rows.seen_at, {_ENTRY}, {_STORY} "
            "FROM news_rows JOIN news_entries USING (row_id) JOIN requests ON requests.id = request_id "
            "JOIN sources ON sources.id = requests.source_id LEFT JOIN documents ON documents.id = document_id "
            "ORDER BY row_id, found_at, requests.id"
        )
        return [
            ArticleRow(row_id=row_id, last_seen_at=seen_at, entries=tuple(_entry(row[2:]) for row in group))
            for (row_id, seen_at), group in groupby(rows, key=lambda row: row[:2])
        ]

    def log(self, run_id: str, record: Row) -> None:
        self._db.execute("INSERT INTO news_runs (id, record) VALUES (?, ?)", (run_id, json.dumps(record)))

    def logged(self) -> dict[str, Row]:
        rows = self._db.execute("SELECT id, record FROM news_runs ORDER BY seq")
        return {run_id: json.loads(record) for run_id, record in rows}

    def written(self, book: str) -> Written:
        rows = self._db.execute("SELECT book_id, cursor FROM news_books WHERE book = ?", (book,))
        tags = self._db.execute("SELECT sheet, key, tag FROM news_written WHERE book = ?", (book,))
        return Written(book_id=rows[0][0], cursor=rows[0][1], tags=frozenset(tags)) if rows else Written()

    def mark(self, book: str, written: Written) -> None:
        with self._db.write():
            before = self._db.value("SELECT book_id FROM news_books WHERE book = ?", (book,))
            if before != written.book_id:
                self._db.execute("DELETE FROM news_written WHERE book = ?", (book,))
            self._db.execute(
                "INSERT INTO news_books VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET book_id = ?2, cursor = ?3",
                (book, written.book_id, written.cursor),
            )
            self._db.many(
                "INSERT OR REPLACE INTO news_written VALUES (?, ?, ?, ?)", [(book, *tag) for tag in written.tags]
            )


def _entry(row: Record) -> ListedArticle:
    document = row[len(_ENTRY) :]
    return _ENTRY(row, story=_STORY(document) if document[0] is not None else None)
