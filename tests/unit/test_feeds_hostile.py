"""What feeds are sent to hurt: each is read or refused quickly, and nothing outside is ever touched."""

from __future__ import annotations

from contextlib import suppress
from html import escape
from pathlib import Path
from time import process_time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from veille.core.feeds import parse_feed
from veille.core.feeds.machine import MAX_TEXT
from veille.core.feeds.markup import Cleaner
from veille.core.kinds.feed import FeedConfig, FeedKind
from veille.core.models import Document, Source
from veille.core.traffic import Payload
from veille.errors import ReadError
from veille.feeds import parse

#: CPU seconds; the worst takes 3 on a slow machine.
SOON = 15


def _described(text: str) -> bytes:
    return f"<rss><channel><item><description>{text}</description></item></channel></rss>".encode()


def _laughs() -> bytes:
    levels = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    return f'<!DOCTYPE r [<!ENTITY l0 "lol">{levels}]>'.encode() + _described("&l9;")


HOSTILE = {
    "billion laughs": _laughs(),
    "quadratic blowup": f'<!DOCTYPE r [<!ENTITY a "{"x" * 50_000}">]>'.encode() + _described("&a;" * 50_000),
    "entities from outside": b'<!DOCTYPE r [<!ENTITY % a SYSTEM "http://127.0.0.1:9/x"> %a;]>' + _described("x"),
    "endless nesting": b"<rss><channel>" + b"<a>" * 100_000,
    "tags never closed": _described("&lt;a " * 200_000),
    "comments never closed": _described("&lt;!--" * 200_000),
    "short comments never closed": _described("&lt;!--" * 4_000),
    "quotes never closed": _described('&lt;a "' * 200_000),
    "foreign elements": _described("&lt;svg>" * 100_000),
    "one long style": _described(f'&lt;p style="{"a-" * 100_000}">'),
    "a broken document of nothing but tags": b"<rss><channel><item><description>" + b"<a " * 200_000,
    "a document type without an end": b"<!DOCTYPE " + b"[" * 500_000,
    "one long author": b"<rss><channel><item><author>" + b"a." * 500_000 + b"</author></item></channel></rss>",
    "one long date": b"<rss><channel><item><pubDate>" + b"1 " * 500_000 + b"</pubDate></item></channel></rss>",
    "brackets of JSON": b'{"items":' + b"[" * 100_000,
}


@pytest.mark.covers("R-085")
@pytest.mark.parametrize("attack", HOSTILE)
def test_an_attack_is_over_soon_and_gives_little(attack: str) -> None:
    started = process_time()
    with suppress(ReadError):
        feed = parse_feed(HOSTILE[attack])
        assert sum(len(entry.summary) for entry in feed.entries) < 5 * MAX_TEXT
    assert process_time() - started < SOON


def test_bombs_are_not_expanded() -> None:
    assert "lol" not in parse_feed(HOSTILE["billion laughs"]).entries[0].summary
    with pytest.raises(ReadError) as caught:
        parse_feed(HOSTILE["quadratic blowup"])
    assert caught.value.code == "feed.hostile"


@pytest.mark.parametrize("declaration", ['<!ENTITY x SYSTEM "{}">', '<!ENTITY % p SYSTEM "{}"> %p;<!ENTITY x "&p;">'])
def test_a_file_never_gets_into_a_feed(declaration: str, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    canary.write_text("the canary sings")
    feed = f"<!DOCTYPE r [{declaration.format(canary.as_uri())}]>".encode() + _described("[&x;]")
    assert "sings" not in parse_feed(feed).entries[0].summary


@pytest.mark.parametrize("text", ["word " * 4_000_000, "<![CDATA[" + "<p>word</p> " * 1_700_000 + "]]>"])
def test_an_entry_of_20_megabytes_is_cut(text: str) -> None:
    started = process_time()
    (entry,) = parse_feed(_described(text)).entries
    assert MAX_TEXT / 2 < len(entry.summary) <= MAX_TEXT
    assert process_time() - started < SOON


def test_a_feed_of_a_hundred_thousand_entries_is_read_whole() -> None:
    item = b"<item><title>T</title><link>http://e.example/1</link><description>d</description><guid>1</guid></item>"
    started = process_time()
    feed = parse_feed(b"<rss><channel>" + item * 100_000 + b"</channel></rss>")
    assert len(feed.entries) == 100_000
    assert process_time() - started < SOON


@given(st.binary() | st.text().map(str.encode))
def test_any_bytes_are_a_dictionary_or_a_read_error(data: bytes) -> None:
    with suppress(ReadError):
        found = parse(data)
        assert set(found) == {"title", "link", "entries"}


MARKUP = st.lists(
    st.sampled_from(
        "<p> </p> <a href='x'> </a> <img src=x onerror=y> <script> </script> <svg> </svg> <!-- --> <![CDATA[ ]]> < > "
        '& &amp; &lt; &#39; &#150; " \' = / <b/ <style> </style> <p/> javascript: onclick= style="color:red" <iframe> '
        "x".split()
    )
    | st.text(max_size=3),
    max_size=30,
).map("".join)


@example("<b/<p><script>")
@given(MARKUP)
def test_what_is_kept_of_an_entry_has_no_active_parts(html: str) -> None:
    source = Source(id="s", name="", kind="feed", url="https://e.example/feed")
    feed = f"<rss version='2.0'><channel><item><guid>1</guid><title>T</title><description>{escape(html)}</description>"
    payload = Payload(
        url=source.url, final_url=source.url, status=200, body=f"{feed}</item></channel></rss>".encode(), fetched_at=0
    )
    kind = FeedKind(FeedConfig())
    (found,) = kind.read(source, kind.request(source, source.url), payload)
    assert isinstance(found, Document)
    parsed = LexborHTMLParser(found.html.encode("utf-8", "replace"))
    assert parsed.css("script, iframe, style, svg, [onclick], [onerror], [style]") == []


@example("<script><svg>href='x'></svg>", "text/html", "")
@example("<svg/>", "text/html", "")
@example("before<svg/>", "application/xhtml+xml", "")
@given(MARKUP, st.sampled_from(["text/html", "application/xhtml+xml"]), st.sampled_from(["", "https://e.example/a/"]))
def test_markup_is_cleaned_exactly_as_feedparser_does_it(html: str, kind: str, base: str) -> None:
    from feedparser.sanitizer import _sanitize_html  # noqa: PLC0415
    from feedparser.urls import resolve_relative_uris  # noqa: PLC0415

    html = html.replace("\0", "")
    try:
        expected = _sanitize_html(resolve_relative_uris(html, base, "utf-8", kind), "utf-8", kind)
    except (ValueError, AssertionError, RuntimeError):
        return
    assert Cleaner().clean(html, base, kind) == expected
