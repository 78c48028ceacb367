"""A cache of pages that the reader extracted for users."""

from __future__ import annotations

import hashlib
from dataclasses import asdict

from veille.adapters.stores.sqlite._part import END, Columns, Part
from veille.core.show.reader import PageMetadata, ReaderContent, ReaderResult

_CONTENT = Columns(
    ReaderContent, "title, content, text_content, excerpt, byline, site_name, word_count, reading_time_minutes"
)
_COLUMNS = f"{_CONTENT}, readable, strategy, error, meta_title, meta_description"


class SqliteReadings(Part):
    """The port `Readings`."""

    def get(self, key: str, now: int) -> ReaderResult | None:
        rows = self._db.execute(
            # `created_at`: a page that was stored while the clock was ahead would otherwise be kept too long.
            f"SELECT {_COLUMNS} FROM reader_content WHERE url_key = ?1 AND created_at <= ?2 AND expires_at > ?2",
            (key, now),
        )
        if not rows:
            return None
        readable, strategy, error, meta_title, meta_description = rows[0][len(_CONTENT) :]
        return ReaderResult(
            readable=bool(readable),
            metadata=None if meta_title is None else PageMetadata(title=meta_title, description=meta_description),
            content=_CONTENT(rows[0]) if readable else None,
            strategy=strategy,
            error=error,
        )

    def put(self, key: str, url: str, result: ReaderResult, now: int, until: int) -> None:
        content, metadata = result.content, result.metadata
        values = tuple(asdict(content).values()) if content else (None,) * len(_CONTENT)
        about = (metadata.title, metadata.description) if metadata else (None, None)
        row_id = f"wbp_read_{hashlib.sha256(key.encode()).hexdigest()[:24]}"
        places = ", ".join("?" * 18)
        with self._db.write():
            self._db.execute("DELETE FROM reader_content WHERE expires_at <= ?", (now,))
            self._db.execute(
                f"INSERT OR REPLACE INTO reader_content (id, url_key, url, {_COLUMNS}, created_at, expires_at) "
                f"VALUES ({places})",
                (row_id, key, url, *values, int(result.readable), result.strategy, result.error, *about, now, until),
            )

    def remember(self, page_id: str, url: str, now: int, keep: int) -> None:
        with self._db.write():
            self._db.execute("INSERT OR REPLACE INTO reader_pages (id, url, at) VALUES (?, ?, ?)", (page_id, url, now))
            self._db.execute(
                "DELETE FROM reader_pages WHERE id IN (SELECT id FROM reader_pages ORDER BY at DESC LIMIT ? OFFSET ?)",
                (END, keep),
            )

    def address(self, page_id: str) -> str | None:
        rows = self._db.execute("SELECT url FROM reader_pages WHERE id = ?", (page_id,))
        return rows[0][0] if rows else None
