"""The peer: Scrapy fetches, trafilatura extracts, SQLite's FTS5 indexes, each by its public interface."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import trafilatura
from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcess
from scrapy.http import HtmlResponse

#: Rows per transaction.
BATCH = 100


class Articles(Spider):
    """From the index to every page it links to, each into the full-text table."""

    name = "articles"
    db: sqlite3.Connection

    def parse(self, response: HtmlResponse) -> Iterator[Request]:
        for link in response.css("a::attr(href)").getall():
            yield response.follow(link, self.keep)

    def keep(self, response: HtmlResponse) -> None:
        title = response.css("title::text").get("")
        text = trafilatura.extract(response.body, url=response.url) or ""
        self.rows.append((response.url, title, text))
        if len(self.rows) >= BATCH:
            self.flush()

    def flush(self) -> None:
        with self.db:
            self.db.executemany("INSERT INTO pages (url, title, text) VALUES (?, ?, ?)", self.rows)
        self.rows.clear()

    def __init__(self, name: str | None = None, **given: Any) -> None:
        super().__init__(name, **given)
        self.rows: list[tuple[str, str, str]] = []

    def closed(self, reason: str) -> None:
        del reason
        self.flush()


def crawl(url: str, path: Path, concurrency: int) -> None:
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
            "CREATE VIRTUAL TABLE pages USING fts5 (url UNINDEXED, title, text, "
            "tokenize = 'unicode61 remove_diacritics 2')"
        )
        process.crawl(Articles, start_urls=[f"{url}/"], db=db)
        process.start()


def counts(path: Path, word: str) -> dict[str, int]:
    """How many documents can be searched, and how many hold the word."""
    with closing(sqlite3.connect(path)) as db:
        (documents,) = db.execute("SELECT count(*) FROM pages WHERE text <> ''").fetchone()
        (hits,) = db.execute("SELECT count(*) FROM pages WHERE pages MATCH ?", (word,)).fetchone()
    return {"documents": documents, "hits": hits}
