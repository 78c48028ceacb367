from __future__ import annotations

import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veille.core.discover.opml import FeedOutline, read_opml, write_opml
from veille.errors import ReadError

NESTED = b"""<?xml version="1.0"?><opml version="2.0"><head><title>x</title></head><body>
<outline text="News"><outline text="World"><outline type="rss" text="A" title="A &amp; B" xmlUrl="https://a.example/f"
 htmlUrl="https://a.example/" category="/x/y,z"/></outline><outline xmlUrl="https://b.example/f" text="B"/></outline>
<!-- <outline xmlUrl="https://hidden.example/"/> --><outline text="C" xmlUrl="https://c.example/f"/></body></opml>"""

BROKEN = {
    "attributes without quotes": b"<opml version=1.0><body><outline text=A xmlUrl=https://a.example/?x=1&y=2></body>",
    "bare ampersands": b'<opml><body><outline text="A & B" xmlUrl="https://a.example/?x=1&y=2"/></body></opml>',
    "other letters": b'<OPML><BODY><OUTLINE TITLE="A" XMLURL="https://a.example/?x=1&amp;y=2"/></BODY></OPML>',
    "cut short": b'<opml><body><outline text="F"><outline text="A" xmlUrl="https://a.example/?x=1&amp;y=2"/><outl',
    "single quotes": b"<opml><body><outline text='A' xmlUrl='https://a.example/?x=1&amp;y=2'></outline>",
    "no body": b'<opml><outline type="rss" url="https://a.example/?x=1&amp;y=2"/></opml>',
}


def test_folders_categories_titles_and_sites_are_read_in_order() -> None:
    first, second, third = read_opml(NESTED)
    assert first == FeedOutline(
        url="https://a.example/f",
        title="A & B",
        site="https://a.example/",
        folders=("News", "World"),
        categories=("x/y", "z"),
    )
    assert (second.folders, third.folders) == (("News",), ())


@pytest.mark.parametrize("fault", BROKEN)
def test_broken_lists_are_read_all_the_same(fault: str) -> None:
    assert [outline.url for outline in read_opml(BROKEN[fault])] == ["https://a.example/?x=1&y=2"]


def test_an_address_that_is_listed_twice_is_read_once() -> None:
    assert len(read_opml(b'<opml><outline xmlUrl="https://a/"/><outline xmlUrl="https://a/"/></opml>')) == 1


def test_what_is_no_list_is_refused() -> None:
    with pytest.raises(ReadError) as caught:
        read_opml(b"<rss><channel/></rss>")
    assert caught.value.code == "opml.unknown_format"


def test_an_empty_list_is_a_list() -> None:
    assert read_opml(write_opml([])) == []


@pytest.mark.parametrize(
    "inside",
    [
        "<outline " + "a:" * 500_000 + ">",
        "<outline " + "a=b" * 300_000 + ">",
        '<outline a="' * 90_000,
        "<!--" * 200_000,
        "<outline a" + " " * 500_000 + "b>",
        '<outline text="f">' * 50_000,
        "<outline " + "a " * 400_000 + ">",
    ],
    ids=["colons", "equals", "open quotes", "open comments", "blanks", "depth", "names"],
)
def test_a_list_takes_little_time_whatever_is_in_it(inside: str) -> None:
    began = time.process_time()
    assert read_opml(f"<opml><body>{inside}</body></opml>".encode()) == []
    assert time.process_time() - began < 5


def test_names_of_folders_are_cut() -> None:
    inside = '<outline text="deep {}">' * 150 + '<outline xmlUrl="https://a.example/"/>'
    (outline,) = read_opml(f"<opml><body>{inside.format(*['x' * 900] * 150)}</body></opml>".encode())
    assert len(outline.folders) == 20
    assert {len(name) for name in outline.folders} == {200}


WORDS = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1).filter(str.strip)
OUTLINES = st.builds(
    FeedOutline,
    url=st.text("abc/?&=\"'<>", min_size=1).map("https://x.example/".__add__),
    title=WORDS,
    site=st.just("https://x.example/"),
    folders=st.lists(WORDS, max_size=3).map(tuple),
)


@given(st.lists(OUTLINES, max_size=5, unique_by=lambda outline: outline.url))
def test_what_is_written_is_read_again_whatever_the_names_are(outlines: list[FeedOutline]) -> None:
    again = read_opml(write_opml(outlines, "A <title> & more"))
    assert sorted(outline.url for outline in again) == sorted(outline.url for outline in outlines)


def test_names_are_escaped() -> None:
    written = write_opml([FeedOutline(url="https://x/", title='"><script>', folders=("<b>",))])
    assert b"<script>" not in written
    assert read_opml(written)[0].title == '"><script>'


@given(st.binary() | st.lists(st.sampled_from(NESTED.split()), max_size=40).map(b" ".join))
def test_any_bytes_are_a_list_or_a_read_error(data: bytes) -> None:
    with suppress(ReadError):
        read_opml(data)


def test_searches_that_a_reader_keeps_over_its_own_feeds_are_no_feeds() -> None:
    """As Liferea writes them."""
    text = (
        '<opml version="1.0"><body><outline title="Unread" type="vfolder" xmlUrl="vfolder" sortColumn="time"/>'
        '<outline text="News" type="rss" xmlUrl="https://example.org/feed"/></body></opml>'
    )
    assert [outline.url for outline in read_opml(text.encode())] == ["https://example.org/feed"]
