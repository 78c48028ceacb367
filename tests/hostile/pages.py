"""What a hostile tenant has watched: pages, feeds and lists made to stall or fill whoever reads them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from veille.core.extract import modes
from world import Page

#: Backtracks for hours on a hundred nested elements.
SLOW_CSS = "nosuch div div div div div div div b"
SLOW_XPATH = "//*[count(//*[count(//*)>0])>0]"
SLOW_PATTERN = r"re:/(a+)+\Z"
#: What reading may end in when it is stopped.
STOPPED = frozenset({"too_slow", "too_large", "hostile"})
#: What is bounded may be read in part or in full; it only has to be over.
_ANY: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Trap:
    """One source of the hostile tenant: what it answers, and what it must come to (empty: anything)."""

    body: Callable[[], bytes]
    type: str = "text/html; charset=utf-8"
    source_type: str = "web"
    config: dict[str, Any] = field(default_factory=dict)
    codes: frozenset[str] = _ANY

    @property
    def page(self) -> Page:
        return Page(self.body(), type=self.type)


def feed_of(description: str) -> bytes:
    item = f"<item><guid>1</guid><link>https://example.org/1</link><title>One</title>{description}</item>"
    return f"<rss version='2.0'><channel><title>F</title>{item}</channel></rss>".encode()


def deep(depth: int, inside: str = "<p>Some words in the middle of it all.</p>") -> str:
    return "<div>" * depth + inside + "</div>" * depth


def _page(inside: str, head: str = "") -> bytes:
    return f"<!doctype html><html><head><title>T</title>{head}</head><body>{inside}</body></html>".encode()


def _json_ld() -> bytes:
    facts = {"@type": "NewsArticle", "headline": "One", "articleBody": deep(40_000)}
    return _page("<p>Words.</p>", f'<script type="application/ld+json">{json.dumps(facts)}</script>')


def _preloaded() -> bytes:
    cooked = json.dumps({"topic_1": json.dumps({"post_stream": {"posts": [{"cooked": deep(40_000)}]}})})
    escaped = cooked.replace("&", "&amp;").replace('"', "&quot;")
    return _page(f'<div id="data-preloaded" data-preloaded="{escaped}"></div><p>Words.</p>')


def _links(count: int) -> bytes:
    return _page("".join(f'<a href="/out/{n}">Link number {n}</a> ' for n in range(count)))


def _nested() -> bytes:
    return _page(deep(100, "<b>A paragraph with enough words in it to count as the content of a page.</b>"))


def _many() -> bytes:
    return _page("<p>Some words of a page that has very many paragraphs of text.</p>" * 6_000)


def _items() -> bytes:
    return json.dumps([{"id": n, "title": f"Item {n}", "text": f"Text of item {n}."} for n in range(100_000)]).encode()


def words(count: int, edition: int) -> bytes:
    """A page of that many words, of which every other is another in every edition."""
    text = " ".join(f"word{n}" if n % 2 else f"other{n * edition}" for n in range(count))
    return _page(f"<main><h1>Words</h1><p>{text}</p></main>")


def _in_every_mode() -> dict[str, Trap]:
    """A selector that never ends, in every mode that takes selectors."""
    found = {}
    for mode in modes():
        for kind in ("web", "crawl") if mode in {"auto", "css"} else ("web",):
            config = {"mode": mode, "selectors": [SLOW_CSS]}
            found[f"css-{mode}-{kind}"] = Trap(_nested, source_type=kind, config=config)
    for name in ("css-css-web", "css-css-crawl", "css-auto-web", "css-selectors-web"):
        found[name] = Trap(
            found[name].body, source_type=found[name].source_type, config=found[name].config, codes=STOPPED
        )
    # In this mode it is no XPath, and is refused when it is set.
    del found["css-xpath-web"]
    return found


_FEED: dict[str, Any] = {"type": "application/rss+xml", "source_type": "rss"}

TRAPS: dict[str, Trap] = {
    "feed-divs": Trap(lambda: feed_of(f"<description>{'&lt;div&gt;' * 200_000}</description>"), **_FEED),
    "feed-links": Trap(
        lambda: feed_of("<description>" + "&lt;a href='/x'&gt;x&lt;/a&gt; " * 300_000 + "</description>"), **_FEED
    ),
    "feed-many-links": Trap(lambda: feed_of("<a href='/x'>x</a>" * 300_000), **_FEED),
    "json-ld": Trap(_json_ld),
    "preloaded": Trap(_preloaded),
    "deep-page": Trap(lambda: _page(deep(100_000))),
    "xpath": Trap(_many, config={"mode": "xpath", "selectors": [SLOW_XPATH]}, codes=STOPPED),
    "pattern": Trap(
        lambda: _page(f'<main><p>Words enough for a page.</p><a href="/{"a" * 60}!">one</a></main>'),
        source_type="crawl",
        config={"include": [SLOW_PATTERN], "sitemaps": False, "max_pages": 5},
        codes=STOPPED,
    ),
    "items": Trap(_items, type="application/json", source_type="api"),
    "links": Trap(lambda: _links(100_000)),
    "links-site": Trap(lambda: _links(100_000), source_type="crawl", config={"max_pages": 3, "sitemaps": False}),
    **_in_every_mode(),
}


def opml(count: int) -> bytes:
    lines = "".join(f'<outline type="rss" text="f{n}" xmlUrl="https://example.org/f/{n}"/>' for n in range(count))
    return f'<opml version="2.0"><body>{lines}</body></opml>'.encode()


#: The hostile tenant's own search engine, whose page is a trap.
ENGINE = {
    "id": "trap",
    "name": "Trap",
    "strategy": "generic",
    "selectors": {"result_item": SLOW_CSS, "title": "b", "link": "a"},
}
