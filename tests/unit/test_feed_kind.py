from __future__ import annotations

from dataclasses import replace

import pytest

from samples import payload, request, source
from veille.core.kinds import Finding, kind_of
from veille.core.models import Document, Request

FEED = source("https://news.example/feed", kind="feed")
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en-GB"><link rel="next" href="?page=2"/>
<entry xml:base="https://cdn.example/"><id>urn:1</id><title>One</title><link href="one"/>
<author><name>Ann</name></author><category term="sea"/><link rel="enclosure" href="one.mp3"/>
<updated>2026-02-24T14:30:00Z</updated>
<content type="html">&lt;p>Text &lt;img src="a.png">&lt;/p></content></entry></feed>"""


def _read(body: str, at: Request | None = None, **config: object) -> list[Finding]:
    return list(kind_of("feed", config).read(FEED, at or request(FEED), payload(body, FEED.url)))


@pytest.mark.covers("R-085", "R-086")
def test_an_entry_brings_its_files_categories_language_and_resolved_addresses() -> None:
    (found,) = _read(ATOM)
    assert isinstance(found, Document)
    assert (found.url, found.lang, found.authors) == ("https://cdn.example/one", "en", ("Ann",))
    assert found.meta == {"enclosures": ["https://cdn.example/one.mp3"], "categories": ["sea"]}
    assert 'src="https://cdn.example/a.png"' in found.html
    assert found.published_at == found.modified_at == 1_771_943_400_000


def test_one_answer_is_read_unless_more_are_allowed() -> None:
    assert not [item for item in _read(ATOM) if isinstance(item, Request)]
    (older,) = [item for item in _read(ATOM, max_pages=3) if isinstance(item, Request)]
    assert (older.url, older.purpose, older.context) == ("https://news.example/feed?page=2", "older", {"page": 2})


def test_older_answers_end_at_the_limit_and_at_a_link_to_themselves() -> None:
    third = replace(request(FEED), url="https://news.example/feed?page=3", purpose="older", context={"page": 3})
    assert not [item for item in _read(ATOM, third, max_pages=3) if isinstance(item, Request)]
    assert not [item for item in _read(ATOM.replace("?page=2", "feed"), max_pages=9) if isinstance(item, Request)]


def test_older_answers_are_read_again_when_a_newer_one_has_changed() -> None:
    one, same, other = (
        next(item for item in _read(body, max_pages=2) if isinstance(item, Request)).stamp
        for body in (ATOM, ATOM, ATOM.replace("urn:1", "urn:2"))
    )
    assert one == same != other


def test_json_feeds_have_older_answers_too() -> None:
    body = '{"version": "https://jsonfeed.org/version/1.1", "next_url": "/2.json", "items": [{"id": "1"}]}'
    assert [item.url for item in _read(body, max_pages=2) if isinstance(item, Request)] == [
        "https://news.example/2.json"
    ]


def test_an_id_that_is_no_address_is_no_link() -> None:
    (found,) = _read("<rss><channel><item><guid>4711</guid><title>T</title></item></channel></rss>", follow_links=True)
    assert isinstance(found, Document)
    assert (found.url, len(found.keys)) == (FEED.url, 1)


def test_the_place_a_feed_is_fetched_from_does_not_change_who_its_entries_are() -> None:
    body = "<rss><channel><item><guid>4711</guid>{}<title>T</title></item></channel></rss>"
    whole, broken = _read(body.format("")), _read(body.format("<b><i></b>"))
    moved = list(kind_of("feed", {}).read(FEED, request(FEED), payload(body.format(""), "https://moved.example/feed")))
    keys = [item.keys[0] for item in (*whole, *broken, *moved) if isinstance(item, Document)]
    assert len(keys) == 3
    assert len(set(keys)) == 1


@pytest.mark.parametrize("date", ["Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 -0500"])
def test_a_date_before_the_web_or_at_the_end_of_time_is_no_date(date: str) -> None:
    (found,) = _read(f"<rss><channel><item><title>T</title><pubDate>{date}</pubDate></item></channel></rss>")
    assert isinstance(found, Document)
    assert found.published_at is None
