from __future__ import annotations

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samples import NOW, failure, payload
from veille.core.change.reading import failure_of
from veille.core.crawl.roots import root_name
from veille.core.crawl.sitemaps import is_sitemap
from veille.core.dates import iso
from veille.core.discover.detect import judge, target_of
from veille.core.discover.discovery import GUESSED
from veille.core.discover.examined import FeedSeen, candidates, feed_instead, feed_seen, seen
from veille.core.schedule import DAY
from veille.core.traffic import Failure, Payload
from veille.errors import ReadError

RSS = b"<rss version='2.0'><channel><title>News</title><item><title>A</title></item></channel></rss>"
SITEMAP = b"<urlset><url><loc>https://example.org/a</loc></url><url><loc>https://example.org/b</loc></url></urlset>"
OPML = b'<opml version="2.0"><body><outline type="rss" xmlUrl="https://a.example/f" text="A"/></body></opml>'
WIDE = "<?xml version='1.0' encoding='utf-16'?>".encode("utf-16")
DECLARES = "<link rel=alternate type=application/rss+xml href={0}>"


@pytest.mark.parametrize(
    ("text", "shape", "urls"),
    [
        ("https://example.org/a", "address", ("https://example.org/a",)),
        (" example.org ", "host", ("https://example.org", "http://example.org")),
        ("example.org/a?b=c d", "words", ()),
        ("localhost:8000/a", "host", ("https://localhost:8000/a", "http://localhost:8000/a")),
        ("127.0.0.1:8000", "host", ("https://127.0.0.1:8000", "http://127.0.0.1:8000")),
        ("/srv/my documents", "path", ("file:///srv/my%20documents", "file:///srv/my%20documents/")),
        ("/srv/caf\udce9", "path", ("file:///srv/caf%E9", "file:///srv/caf%E9/")),
        ("file:///srv/a/", "path", ("file:///srv/a", "file:///srv/a/")),
        ("Who rebuilds the bridge?", "words", ()),
        ("Where is node.js used / built?", "words", ()),
        ("ferries?", "words", ()),
        ("ferries", "address", ("ferries",)),
        ("https://a b", "address", ("https://a b",)),
        ("mailto:a@b.example", "address", ("mailto:a@b.example",)),
    ],
)
def test_a_text_is_an_address_a_host_a_path_or_words(text: str, shape: str, urls: tuple[str, ...]) -> None:
    found = target_of(text)
    assert (found.shape, found.urls) == (shape, urls)


@pytest.mark.parametrize(
    ("body", "media_type", "kind", "reason"),
    [
        (RSS, "text/html", "feed", "feed with 1 entry"),
        (WIDE + RSS.decode().encode("utf-16le"), "application/xml", "feed", "feed with 1 entry"),
        (b"<feed xmlns='http://www.w3.org/2005/Atom'><title>x</title>", "application/atom+xml", "feed", "0 entries"),
        (b'{"version": "https://jsonfeed.org/version/1.1", "items": []}', "application/json", "feed", "0 entries"),
        (b"<rdf:RDF><owl:Class/></rdf:RDF>", "application/rdf+xml", "page", "web page"),
        (SITEMAP, "text/xml", "site", "sitemap that names 2 pages"),
        (gzip.compress(SITEMAP, mtime=0), "application/gzip", "site", "sitemap that names 2 pages"),
        (b"<sitemapindex><sitemap><loc>/b.xml</loc></sitemap></sitemapindex>", "", "site", "1 further sitemap"),
        (OPML, "text/x-opml", "opml", "list of 1 feed"),
        (b'{"data": [{"title": "A"}, {"title": "B"}]}', "application/json", "api", "2 items at data"),
        (b'{"title": "A"}\n{"title": "B"}\n', "application/x-ndjson", "api", "2 items as a whole"),
        (b'{"state": "open"}', "application/json", "page", "without a list"),
        (b'{"state": "op', "application/json", "page", "says it is JSON, but"),
        (b"<html><title>Log in</title>", "application/json", "page", "web page"),
        (b"%PDF-1.7\n%\xe2\xe3", "application/octet-stream", "page", "document (pdf)"),
        (b"a;b\n1;2\n", "text/csv", "page", "document (csv)"),
        (b"\x00\x01\x02", "image/png", "page", "no text can be read"),
        (b"<!DOCTYPE html><p>Hello", "text/html", "page", "web page"),
        (b"", "text/html", "page", "web page"),
    ],
)  # fmt: skip
def test_the_kind_of_an_answer_is_recognised_by_its_bytes(body: bytes, media_type: str, kind: str, reason: str) -> None:
    found = judge(payload(body, media_type=media_type))
    assert found.kind == kind
    assert reason in found.reason


def test_a_list_of_items_comes_with_its_path_and_fields() -> None:
    found = judge(payload(b'{"rows": [{"ref_id": 1, "subject": "One"}]}', media_type="application/json"))
    assert found.config == {"result_path": "rows", "fields": {"id": "ref_id", "title": "subject"}}
    assert [other.kind for other in found.alternatives] == ["page"]


@pytest.mark.parametrize(
    ("answer", "paging"),
    [
        (payload('[{"title": "A"}]', link='</?page=2>; rel="next"'), '{"by": "link"}'),
        (payload('{"next": "/?page=2", "results": [{"title": "A"}]}'), '{"by": "next", "path": "next"}'),
        (payload('{"next": null, "results": [{"title": "A"}]}'), ""),
    ],
)
def test_a_paged_list_comes_with_its_paging(answer: Payload, paging: str) -> None:
    found = judge(answer)
    others = [other.config for other in found.alternatives if other.kind == "api"]
    assert others == ([{**(found.config or {}), "paging": json.loads(paging)}] if paging else [])


def test_the_target_of_a_permanent_redirect_is_watched() -> None:
    for status, address in ((301, "https://example.org/new"), (302, "https://example.org/old")):
        answer = payload(
            RSS, url="https://example.org/old", final_url="https://example.org/new",
            redirects=((status, "https://example.org/old"),),
        )  # fmt: skip
        assert judge(answer).url == address


@given(st.binary(max_size=200), st.sampled_from(["", "text/html", "application/json", "application/xml", "text/plain"]))
def test_any_answer_gets_a_kind(body: bytes, media_type: str) -> None:
    assert judge(payload(body, media_type=media_type)).kind in {"page", "feed", "site", "api", "opml"}


@given(st.text(max_size=40))
def test_any_text_has_a_shape(text: str) -> None:
    assert target_of(text).shape in {"address", "host", "path", "words"}


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"\xef\xbb\xbf\n<?xml version='1.0'?>\n<!-- <opml> --><!DOCTYPE x [<!ENTITY a 'b'>]><atom:Feed>", "feed"),
        (WIDE + "<opml>".encode("utf-16le"), "opml"),
        (b"<?xml version='1.0' encoding='utf-16'?><rss>" + b"x" * 100_000, "rss"),
        (b"text before <rss>", ""),
        (b"{}", ""),
        (b"<" * 100_000, ""),
        (b"<!-- " * 30_000, ""),
    ],
)
def test_the_root_of_markup_is_found(data: bytes, name: str) -> None:
    assert root_name(data) == name


def test_a_sitemap_says_so_itself() -> None:
    assert is_sitemap(SITEMAP)
    assert is_sitemap(gzip.compress(SITEMAP))
    assert not is_sitemap(gzip.compress(RSS))
    assert not is_sitemap(b"\x1f\x8bdamaged")
    assert not is_sitemap(b"https://example.org/a\n")


def _page(url: str, markup: str) -> Payload:
    return payload(f"<html><title>The page</title>{markup}</html>", url=url, media_type="text/html")


def _read(feed: Payload | Failure) -> FeedSeen | Failure:
    try:
        return feed if isinstance(feed, Failure) else feed_seen(feed)
    except ReadError as error:
        return failure_of(error)


def _feed(*links: str, age: int = 1, home: str = "https://example.org") -> Payload:
    date = iso(NOW - age * DAY)
    entries = "".join(
        f"<entry><title>x</title><link href='{link}'/><updated>{date}</updated></entry>" for link in links
    )
    return payload(f"<feed xmlns='http://www.w3.org/2005/Atom'><title>F</title><link href='{home}'/>{entries}</feed>")


POSTS = [f"https://example.org/posts/{number}" for number in range(4)]
LISTS = "".join(f"<a href={post}>x</a>" for post in POSTS)


@pytest.mark.covers("R-036")
@pytest.mark.parametrize(
    ("url", "markup", "feed"),
    [
        ("https://example.org/", DECLARES.format("/f"), _feed(*POSTS)),
        ("https://example.org/blog", DECLARES.format("/f") + LISTS, _feed(*POSTS)),
        ("https://example.org/blog/", DECLARES.format("/blog/feed.xml"), _feed(*POSTS)),
        ("https://example.org/blog", DECLARES.format("/f"), _feed(*POSTS, home="https://www.example.org/blog/")),
        ("https://example.org/blog", "<a href=/blog/rss.xml>RSS</a>", _feed(*POSTS)),
    ],
)
def test_the_active_feed_of_a_page_is_watched(url: str, markup: str, feed: Payload) -> None:
    page = seen(_page(url, markup))
    found = feed_instead(page, candidates(page), _read(feed), NOW)
    assert (found.kind, found.name) == ("feed", "The page")
    assert [other.kind for other in found.alternatives] == ["page", "site"]


@pytest.mark.covers("R-039")
@pytest.mark.parametrize(
    ("url", "markup", "feed", "reason"),
    [
        ("https://example.org/prices", DECLARES.format("/f"), _feed(*POSTS), "of the whole site"),
        (POSTS[0], DECLARES.format("/f") + LISTS, _feed(*POSTS), "one of its entries"),
        ("https://example.org/", DECLARES.format("/f"), _feed(*POSTS, age=91), "stale"),
        ("https://example.org/", DECLARES.format("/f"), _feed(), "empty"),
        ("https://example.org/", DECLARES.format("/f"), payload("<html>"), "feed.unknown_format"),
        ("https://example.org/", DECLARES.format("/f"), failure(404), "http.404"),
    ],
)
def test_the_page_is_watched_if_its_feed_is_inactive_or_has_other_content(
    url: str, markup: str, feed: Payload | Failure, reason: str
) -> None:
    page = seen(_page(url, markup))
    found = feed_instead(page, candidates(page), _read(feed), NOW)
    assert found.kind == "page"
    assert reason in found.reason
    assert ("feed", "https://example.org/f") in [(other.kind, other.url) for other in found.alternatives]


def test_usual_places_of_feeds_are_tried_for_front_pages_without_a_feed_only() -> None:
    (guess,) = candidates(seen(_page("https://example.org/", "<p>Hello")))
    assert guess.reason == GUESSED
    assert candidates(seen(_page("https://example.org/about", "<p>Hello"))) == []
    front = seen(_page("https://example.org/", "<p>Hello"))
    assert feed_instead(front, [guess], failure(404), NOW) == front.judgement


def test_feeds_of_comments_and_json_of_a_page_are_no_candidates() -> None:
    page = _page(
        "https://example.org/post",
        "<link rel=alternate type=application/rss+xml href=/post/feed title='Comments Feed'>"
        "<link rel=alternate type=application/json href=/wp-json/wp/v2/posts/1>",
    )
    assert candidates(seen(page)) == []
