"""Pages that were read for people, kept for a while."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from veille.core.show.reader import PageMetadata, ReaderContent, ReaderResult

if TYPE_CHECKING:
    from veille.adapters.stores.sqlite._db import Database

READINGS_SCHEMA = """
    CREATE TABLE reader_content (
        id TEXT PRIMARY KEY,
        url_key TEXT NOT NULL UNIQUE,
        url TEXT NOT NULL,
        readable INTEGER NOT NULL DEFAULT 0,
        strategy TEXT,
        title TEXT,
        content TEXT,
        text_content TEXT,
        excerpt TEXT,
        byline TEXT,
        site_name TEXT,
        word_count INTEGER,
        reading_time_minutes INTEGER,
        meta_title TEXT,
        meta_description TEXT,
        error TEXT,
        created_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX reader_content_over ON reader_content (expires_at);
"""

_COLUMNS = (
    "readable, strategy, title, content, text_content, excerpt, byline, site_name, word_count, reading_time_minutes, "
    "meta_title, meta_description, error"
)


class SqliteReadings:
    """The port `Readings`."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def get(self, key: str, now: int) -> ReaderResult | None:
        rows = self._db.execute(
            # One that was read while the clock was ahead would be kept until it is there again.
            f"SELECT {_COLUMNS} FROM reader_content WHERE url_key = ?1 AND created_at <= ?2 AND expires_at > ?2",
            (key, now),
        )
        if not rows:
            return None
        readable, strategy, *content, meta_title, meta_description, error = rows[0]
        names = ("title", "content", "text_content", "excerpt", "byline", "site_name", "word_count")
        values = dict(zip((*names, "reading_time_minutes"), content, strict=True))
        metadata = PageMetadata(title=meta_title, description=meta_description) if meta_title is not None else None
        return ReaderResult(
            readable=bool(readable),
            metadata=metadata,
            content=ReaderContent(**values) if readable else None,
            strategy=strategy,
            error=error,
        )

    def put(self, key: str, url: str, result: ReaderResult, now: int, until: int) -> None:
        content, metadata = result.content, result.metadata
        values = (
            (
                content.title,
                content.content,
                content.text_content,
                content.excerpt,
                content.byline,
                content.site_name,
                content.word_count,
                content.reading_time_minutes,
            )
            if content
            else (None,) * 8
        )
        about = (metadata.title, metadata.description) if metadata else (None, None)
        row_id = f"wbp_read_{hashlib.sha256(key.encode()).hexdigest()[:24]}"
        places = ", ".join("?" * 18)
        with self._db.write():
            self._db.execute("DELETE FROM reader_content WHERE expires_at <= ?", (now,))
            self._db.execute(
                f"INSERT OR REPLACE INTO reader_content (id, url_key, url, {_COLUMNS}, created_at, expires_at) "
                f"VALUES ({places})",
                (row_id, key, url, int(result.readable), result.strategy, *values, *about, result.error, now, until),
            )
