from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veille.core.discover.discovery import feed_links, verdict
from veille.core.feeds import Entry, Feed, parse_feed
from veille.core.language.languages import language_of
from veille.core.schedule import DAY

PAGE = "https://news.example/world/"
NOW = 1_771_943_400_000
ENGLISH = "The council voted on Tuesday to rebuild the old bridge across the harbour before next winter."
FRENCH = "Le conseil a voté mardi pour reconstruire le vieux pont sur le port avant l'hiver prochain."


def _feed(*ages: int, text: str = ENGLISH) -> Feed:
    return Feed(entries=tuple(Entry(title=text, summary=text, published_at=NOW - age * DAY) for age in ages))


@pytest.mark.covers("R-036")
def test_declared_feeds_come_before_linked_ones_and_those_before_usual_places() -> None:
    html = (
        '<base href="/en/"><a href="/rss.xml">RSS</a><a href="/about">About</a>'
        '<link rel="alternate" type="application/rss+xml; charset=utf-8" href="feed.xml" title="World">'
        '<link rel="alternate" hreflang="fr" href="/fr/"><link rel="stylesheet" type="text/css" href="x.css">'
    )
    found = feed_links(html, PAGE)
    assert [link.url for link in found][:2] == ["https://news.example/en/feed.xml", "https://news.example/rss.xml"]
    assert found[0].title == "World"
    assert "https://news.example/feed" in [link.url for link in found[2:]]
    assert not {"https://news.example/about", "https://news.example/fr/"} & {link.url for link in found}


def test_a_feed_of_comments_comes_last_of_the_declared() -> None:
    html = "".join(
        f"<link rel=alternate type=application/atom+xml href=/{name}>" for name in ("comments/feed", "feed", "atom")
    )
    assert [link.url for link in feed_links(html, PAGE)][2] == "https://news.example/comments/feed"


def test_an_address_is_named_once_and_by_its_best_reason() -> None:
    html = '<a href="/feed">Feed</a><link rel=alternate type=application/rss+xml href=/feed>'
    found = [link for link in feed_links(html, PAGE) if link.url == "https://news.example/feed"]
    assert [link.reason for link in found] == ["declared by the page"]


@pytest.mark.parametrize("href", ["feed://news.example/x.rss", "feed:http://news.example/x.rss"])
def test_the_old_scheme_of_feeds_is_understood(href: str) -> None:
    assert "http://news.example/x.rss" in [link.url for link in feed_links(f'<a href="{href}">x</a>', PAGE)]


@given(st.binary() | st.text())
def test_any_page_has_a_list_of_candidates(html: bytes | str) -> None:
    assert all(link.url.startswith("http") for link in feed_links(html, PAGE))


@pytest.mark.covers("R-036", "R-039")
@pytest.mark.parametrize(
    ("feed", "finding"),
    [
        (_feed(1, 30), "ok"),
        (_feed(7), "ok"),
        (_feed(8), "stale"),
        (_feed(), "empty"),
        (_feed(-30), "undated"),
        (Feed(entries=(Entry(title="No date"),)), "undated"),
        (_feed(1, text=FRENCH), "language"),
    ],
)
def test_a_feed_is_registered_if_it_is_alive_and_in_the_language(feed: Feed, finding: str) -> None:
    found = verdict(feed, NOW, max_age_days=7, languages=("en",))
    assert (found.finding, found.accepted) == (finding, finding == "ok")
    assert found.reason.endswith(".")


def test_without_a_wanted_language_any_will_do() -> None:
    assert verdict(_feed(1, text=FRENCH), NOW).accepted


@pytest.mark.covers("R-038")
def test_a_feed_that_was_parsed_can_be_judged() -> None:
    item = "<item><title>T</title><pubDate>Tue, 24 Feb 2026 14:00:00 GMT</pubDate></item>"
    assert verdict(parse_feed(f"<rss><channel>{item}</channel></rss>".encode()), NOW).newest_at == NOW - 1_800_000


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (ENGLISH, "en"),
        (FRENCH, "fr"),
        (
            "這座橋將於明年冬天之前重建完成 市議會星期二投票通過了這項計劃 居民們對此表示歡迎和支持 工程將持續一年。",
            "zh",
        ),
    ],
)
def test_a_language_is_recognised(text: str, language: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize("odd", ["", "\x00", "\ufffe", "\ud800"])
def test_a_list_without_small_words_has_a_language_too(odd: str) -> None:
    goods = "Frozen Chicken Meatballs 16oz, Gluten Free Pizza Stars 9oz, Fresh Baked Bread Rolls, Wireless Keyboard "
    assert language_of(f"{goods}{odd}") == "en"


def test_too_little_text_is_in_the_declared_language() -> None:
    assert language_of("OK", hint="pt-BR") == "pt"
    assert language_of("Djokovic v Alcaraz. Sinner v Medvedev. Zverev v Rublev.", hint="en-us") == "en"
    assert language_of("") == ""
