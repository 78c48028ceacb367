from __future__ import annotations

import gzip
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veille.core.crawl import sitemaps
from veille.core.crawl.sitemaps import Sitemap, parse_sitemap
from veille.errors import ReadError

_SPACE = "xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'"


def test_pages_come_with_their_dates_and_further_sitemaps_apart() -> None:
    found = parse_sitemap(
        f"<?xml version='1.0'?><urlset {_SPACE} xmlns:image='i'><url><loc> https://e.org/a </loc>"
        "<lastmod>2026-01-02</lastmod><image:image><image:loc>https://e.org/i.jpg</image:loc></image:image></url>"
        "<url><loc>https://e.org/b?x=1&amp;y=2</loc></url><url/></urlset>".encode()
    )
    assert found.pages == (("https://e.org/a", "2026-01-02"), ("https://e.org/b?x=1&y=2", ""))
    index = parse_sitemap(f"<sitemapindex {_SPACE}><sitemap><loc>/b.xml</loc></sitemap></sitemapindex>".encode())
    assert (index.pages, index.sitemaps) == ((), ("/b.xml",))


def test_a_plain_list_and_a_packed_one_are_read() -> None:
    lines = b"\xef\xbb\xbfhttps://e.org/a\r\n\r\nhttps://e.org/b\nnonsense\n"
    assert parse_sitemap(lines).pages == (("https://e.org/a", ""), ("https://e.org/b", ""))
    assert parse_sitemap(gzip.compress(lines)) == parse_sitemap(lines)


def test_a_broken_one_is_read_as_far_as_it_makes_sense() -> None:
    found = parse_sitemap(b"<urlset><url><loc>https://e.org/a</loc></url><url><loc>https://e.org/b?x=1&y=2</loc")
    assert found.pages[0] == ("https://e.org/a", "")


def test_entries_beyond_the_limit_are_cut_and_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sitemaps, "MAX_ENTRIES", 2)
    found = parse_sitemap(b"https://e.org/a\nhttps://e.org/b\nhttps://e.org/c")
    assert len(found.pages) == 2
    assert found.is_cut


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"<html><body>Hello</body></html>", "sitemap.unknown_format"),
        (b"<rss><channel/></rss>", "sitemap.unknown_format"),
        (b"Not found", "sitemap.unknown_format"),
        (b"<", "sitemap.malformed"),
        (gzip.compress(b" " * (sitemaps.MAX_BYTES + 1), 1), "sitemap.too_large"),
        (b"\x1f\x8bnonsense", "sitemap.malformed"),
        (b"<!DOCTYPE u [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><urlset>&b;</urlset>", "hostile"),
    ],
)
def test_what_is_no_sitemap_has_a_code(data: bytes, code: str) -> None:
    with pytest.raises(ReadError) as caught:
        parse_sitemap(data)
    assert caught.value.code == code


@given(st.binary(max_size=200))
def test_any_bytes_are_a_sitemap_or_an_error(data: bytes) -> None:
    for tried in (data, b"<urlset>" + data, gzip.compress(data)):
        with suppress(ReadError):
            assert isinstance(parse_sitemap(tried), Sitemap)
