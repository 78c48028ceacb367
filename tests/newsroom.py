"""A news site on loopback, and veille's news workflow on it, with a clock that tests move."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import urljoin

import openpyxl

import veille
from samples import NOW
from veille.core.schedule import HOUR
from veille.services.news.news import NewsDesk, NewsRun, Registered
from veille.settings import NewsSettings
from watching import FAST
from world import Page, Site

TEXT = (
    "The parliament voted on Tuesday for a bill about {0}, and the government said that the minister would sign it. "
    "Members of the opposition asked for more time to read the report of the committee on {0}.\n"
    "The president of the chamber told reporters that the vote on {0} was the closest of the year, and that the "
    "election in May had changed little about it."
)


def article(subject: str, extra: str = "", head: str = "") -> str:
    """A page with all that a news article says about itself."""
    paragraphs = "".join(f"<p>{line}</p>" for line in (TEXT.format(subject) + extra).split("\n"))
    return (
        f"<html lang=en><head><title>{subject} - The Herald</title><meta property='og:site_name' content='The Herald'>"
        f"<meta property='og:title' content='{subject}'><meta name=description content='About {subject}.'>"
        "<meta name=author content='Ann Lee'><meta property='article:section' content='World'>"
        f"<meta name=keywords content='vote, {subject}'>{head}</head><body><nav><a href='/'>Home</a></nav>"
        f"<article><h1>{subject}</h1>{paragraphs}<p>Source: <a href='https://www.agency.example/x'>The Agency</a></p>"
        "</article></body></html>"
    )


class Newsroom:
    """One news dossier on one site."""

    def __init__(self, site: Site, folder: Path, **news: Any) -> None:
        self.site = site
        self.folder = folder
        self.now = NOW
        self.book = folder / "NewsPipeline.xlsx"
        given = {"workbook": self.book, "fulltext_dir": folder / "texts"} | news
        self.app = veille.open_app(clock=lambda: self.now, data=folder / "data", fetch=FAST, news=NewsSettings(**given))
        known = {dossier.name: dossier.id for dossier in self.app.dossiers.all()}
        self.dossier_id = known.get("news") or self.app.create_dossier("news").id

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.app.close()

    @property
    def desk(self) -> NewsDesk:
        return self.app.news(self.dossier_id)

    def feed(self, path: str, entries: list[tuple[str, str]], *, age_h: float = 1, lang: str = "en") -> str:
        """An RSS feed of (path, title) entries; its address."""
        at = datetime.fromtimestamp(self.now / 1000 - age_h * 3600, UTC)
        items = "".join(
            f"<item><guid>{link}</guid><link>{urljoin(self.site.url, link)}</link><title>{title}</title>"
            f"<pubDate>{format_datetime(at)}</pubDate><description>The latest about {title}.</description></item>"
            for link, title in entries
        )
        body = f"<rss version='2.0'><channel><title>F</title><language>{lang}</language>{items}</channel></rss>"
        self.site[path] = Page(body.encode(), type="application/rss+xml")
        return self.site.url + path

    def discover(self, *urls: str) -> list[Registered]:
        return self.desk.discover(urls)[0]

    def poll(self) -> NewsRun:
        self.now += HOUR
        return self.desk.poll(lambda _: None, lambda: False)

    def work(self, worker_id: str = "w1", **given: bool) -> NewsRun:
        return self.desk.work(worker_id, lambda _: None, lambda: False, **given)

    def rows(self, sheet: str = "Raw") -> list[dict[str, Any]]:
        """The rows of a sheet, read from the file by another program's eyes."""
        book = openpyxl.load_workbook(self.book, read_only=True)
        head, *rows = book[sheet].iter_rows(values_only=True)
        book.close()
        return [dict(zip(map(str, head), row, strict=True)) for row in rows]

    def raw(self, path: str) -> dict[str, Any]:
        """The one row of an article, by the address it was found at."""
        (row,) = [row for row in self.rows() if row["article_url"] == self.site.url + path]
        return row


def listed(cell: str) -> list[str]:
    """A list as a cell holds it."""
    found: list[str] = json.loads(cell)
    return found
