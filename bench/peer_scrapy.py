"""The peer: Scrapy fetches, trafilatura extracts, SQLite's FTS5 indexes, each by its public interface.

It can keep title and text alone, or, as we do, also what the page says about itself.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import trafilatura
from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcess
from scrapy.http import HtmlResponse

#: Address, title, text, and everything else as JSON.
Row = tuple[str, str, str, str]

#: Rows per transaction.
BATCH = 100


class Articles(Spider):
    """From the index to every page it links to, each into the full-text table."""

    name = "articles"
    db: sqlite3.Connection
    metadata: bool

    def parse(self, response: HtmlResponse) -> Iterator[Request]:
        for link in response.css("a::attr(href)").getall():
            yield response.follow(link, self.keep)

    def keep(self, response: HtmlResponse) -> None:
        self.rows.append(_described(response) if self.metadata else _plain(response))
        if len(self.rows) >= BATCH:
            self.flush()

    def flush(self) -> None:
        with self.db:
            self.db.executemany("INSERT INTO pages (url, title, text, about) VALUES (?, ?, ?, ?)", self.rows)
        self.rows.clear()

    def __init__(self, name: str | None = None, **given: Any) -> None:
        super().__init__(name, **given)
        self.rows: list[Row] = []

    def closed(self, reason: str) -> None:
        del reason
        self.flush()


def _plain(response: HtmlResponse) -> Row:
    title = response.css("title::text").get("")
    return response.url, title, trafilatura.extract(response.body, url=response.url) or "", ""


def _described(response: HtmlResponse) -> Row:
    found = trafilatura.bare_extraction(response.body, url=response.url, with_metadata=True)
    if found is None:
        return response.url, "", "", ""
    about = {name: getattr(found, name) for name in ("author", "date", "description", "sitename", "language", "tags")}
    return response.url, found.title or "", found.text or "", json.dumps(about, default=str)


def crawl(url: str, path: Path, concurrency: int, *, metadata: bool = False) -> None:
    """Crawl from the index page into a database."""
    process = CrawlerProcess(
        {
            "AUTOTHROTTLE_ENABLED": False,
            "CONCURRENT_REQUESTS": concurrency,
            "CONCURRENT_REQUESTS_PER_DOMAIN": concurrency,
            "COOKIES_ENABLED": False,
            "DOWNLOAD_DELAY": 0,
            "LOG_ENABLED": False,
            "ROBOTSTXT_OBEY": False,
            "TELNETCONSOLE_ENABLED": False,
        }
    )
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute(
            "CREATE VIRTUAL TABLE pages USING fts5 (url UNINDEXED, title, text, about UNINDEXED, "
            "tokenize = 'unicode61 remove_diacritics 2')"
        )
        process.crawl(Articles, start_urls=[f"{url}/"], db=db, metadata=metadata)
        process.start()


def counts(path: Path, word: str) -> dict[str, int]:
    """How many documents can be searched, and how many hold the word."""
    with closing(sqlite3.connect(path)) as db:
        (documents,) = db.execute("SELECT count(*) FROM pages WHERE text <> ''").fetchone()
        (hits,) = db.execute("SELECT count(*) FROM pages WHERE pages MATCH ?", (word,)).fetchone()
    return {"documents": documents, "hits": hits}
