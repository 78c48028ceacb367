"""Lists of sources, as other programs write them."""

from __future__ import annotations

import io
import json
import time
import zipfile
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veille.core.discover.lists import first_entries
from veille.core.discover.opml import FeedOutline
from veille.core.schedule import DAY, HOUR, MAX_INTERVAL, MINUTE
from veille.errors import ReadError

BOOKMARKS = b"""<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE><H1>Bookmarks</H1>
<DL><p>
    <DT><H3 ADD_DATE="1">News &amp; law</H3>
    <DL><p>
        <DT><A HREF="https://a.example/?x=1&amp;y=2" ADD_DATE="1" TAGS="tea,law">A &lt;one&gt;</A>
        <DT><A FEEDURL="https://b.example/feed" HREF="https://b.example/">B</A>
    </DL><p>
    <DT><A HREF="javascript:alert(1)">No address</A>
</DL><p>"""
TAG = "5a4f0c1e-0000-4000-8000-000000000001"
WATCH = {
    "url": "https://shop.example/tea",
    "title": "Tea",
    "tags": [TAG],
    "time_between_check": {"weeks": None, "days": None, "hours": 3, "minutes": 30, "seconds": None},
    "include_filters": [".price", "#stock"],
    "headers": {"Accept-Language": "fr", "Authorization": "Bearer sesame"},
    "paused": True,
}


def backup(**files: Any) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as target:
        for name, value in files.items():
            target.writestr(name, value if isinstance(value, str | bytes) else json.dumps(value))
    return made.getvalue()


def watch_list(*watches: dict[str, Any]) -> dict[str, Any]:
    tags = {TAG: {"title": "shops"}}
    return {
        "watching": {str(n): one for n, one in enumerate(watches)},
        "settings": {"application": {"tags": tags, "password": "secret"}},
    }


def entries(data: bytes) -> list[FeedOutline]:
    return list(first_entries(data, 100).outlines)


def test_one_address_per_line_may_have_a_name_and_needs_no_scheme() -> None:
    found = entries(b"# mine\n\nhttps://a.example/feed.xml  The A\r\nb.example/news\n")
    assert [(one.url, one.title, one.kind) for one in found] == [
        ("https://a.example/feed.xml", "The A", ""),
        ("https://b.example/news", "", ""),
    ]


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_a_table_is_read_by_its_header(mark: str) -> None:
    rows = [["Title", "URL", "Tags", "Every"], ["A", "https://a.example/", "tea|law", "2h"], ["", "", "", ""]]
    rows.append(["B", "b.example", "", "now and then"])
    first, second = entries("\ufeff".encode() + "\r\n".join(mark.join(row) for row in rows).encode())
    assert (first.title, first.url, first.categories, first.interval_ms) == (
        "A",
        "https://a.example/",
        ("tea", "law"),
        2 * HOUR,
    )
    assert (second.url, second.interval_ms) == ("https://b.example", None)
    assert "now and then" in second.note


def test_bookmarks_keep_folders_tags_and_feeds() -> None:
    first, second, third = entries(BOOKMARKS)
    assert (first.url, first.title) == ("https://a.example/?x=1&y=2", "A <one>")
    assert (first.folders, first.categories, first.kind) == (("News & law",), ("tea", "law"), "")
    assert (second.url, second.kind) == ("https://b.example/feed", "feed")
    assert (third.url, third.folders) == ("javascript:alert(1)", ())


@pytest.mark.parametrize("is_zipped", [True, False])
def test_a_backup_of_changedetection_keeps_what_a_source_can_have_and_no_secret(is_zipped: bool) -> None:  # noqa: FBT001
    listed = watch_list(WATCH, {"url": "https://b.example/", "tag": "old, ones", "time_between_check": {"weeks": 9}})
    data = backup(**{"url-watches.json": listed, "0/history.txt": "x"}) if is_zipped else json.dumps(listed).encode()
    first, second = entries(data)
    assert first.options == {
        "mode": "css",
        "selectors": [".price", "#stock"],
        "headers": {"Accept-Language": "fr"},
    }
    assert (first.interval_ms, first.categories, first.is_paused) == (3 * HOUR + 30 * MINUTE, ("shops",), True)
    assert "secret headers were left out" in first.note
    assert "sesame" not in repr(first)
    assert (second.categories, second.interval_ms, second.options) == (("old", "ones"), MAX_INTERVAL, {})
    assert MAX_INTERVAL < 63 * DAY


def test_a_backup_with_one_file_a_watch_is_read_too() -> None:
    settings = {"settings": {"application": {"tags": {TAG: {"title": "shops"}}}}}
    (found,) = entries(backup(**{"changedetection.json": settings, "a/watch.json": WATCH, "b/watch.json": {}}))
    assert (found.url, found.categories) == (WATCH["url"], ("shops",))


def _noted(**fields: Any) -> str:
    (found,) = entries(json.dumps(watch_list({"url": "https://a.example/", **fields})).encode())
    return found.note


def test_a_watch_without_an_interval_of_its_own_has_that_of_its_backup() -> None:
    usual = {"requests": {"time_between_check": {"days": 3}}}
    settings = watch_list()["settings"] | usual
    own = {"url": "https://a.example/", "time_between_check": {"hours": 2}}
    watches = (
        own,
        own | {"time_between_check_use_default": False},
        own | {"time_between_check_use_default": True},
        {"url": "https://b.example/", "time_between_check": {"hours": None}},
        {"url": "https://c.example/"},
    )
    listed = json.dumps(watch_list(*watches) | {"settings": settings}).encode()
    intervals = [2 * HOUR, 2 * HOUR, 3 * DAY, 3 * DAY, 3 * DAY]
    assert [one.interval_ms for one in entries(listed)] == intervals
    files = {f"{n}/watch.json": one for n, one in enumerate(watches)}
    assert [
        one.interval_ms for one in entries(backup(**{"changedetection.json": {"settings": settings}}, **files))
    ] == (intervals)
    assert [one.interval_ms for one in entries(json.dumps(watch_list(*watches)).encode())] == [
        2 * HOUR,
        2 * HOUR,
        None,
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("subtractive_selectors", ["#count"]),
        ("ignore_text", ["Visitors"]),
        ("trigger_text", ["13"]),
        ("text_should_not_be_present", ["sold out"]),
        ("extract_text", ["/[0-9]+/"]),
        ("notification_urls", ["json://x"]),
        ("method", "POST"),
        ("body", "a=1"),
        ("browser_steps", [{"operation": "Goto site"}, {"operation": "Click element", "selector": "#a"}]),
        ("processor", "restock_diff"),
        ("fetch_backend", "html_webdriver"),
        ("include_filters", [f".a{n}" for n in range(21)]),
    ],
)
def test_each_setting_that_is_not_taken_over_is_told(name: str, value: object) -> None:
    assert len(_noted(**{name: value}).split(". ")) == 1
    assert _noted(**{name: value}).endswith(".")


def test_settings_as_a_watch_has_them_from_the_start_are_not_told_of() -> None:
    unset = {
        "method": "GET", "body": None, "browser_steps": [{"operation": "Choose one"}], "processor": "text_json_diff",
        "notification_urls": [], "ignore_text": [], "trigger_text": [], "fetch_backend": "system", "proxy": None,
        "include_filters": ["css:.price"],
    }  # fmt: skip
    assert _noted(**unset) == ""


@pytest.mark.parametrize(
    ("filters", "options", "note"),
    [
        (["xpath://h1", "//h2"], {"mode": "xpath", "selectors": ["//h1", "//h2"]}, ""),
        (["json:$.price"], {}, "JSON filters were left out"),
        ([".a", "//b"], {"mode": "css", "selectors": [".a"]}, "XPath filters were left out"),
        (".old", {"mode": "css", "selectors": [".old"]}, ""),
        (["css:.a"], {"mode": "css", "selectors": [".a"]}, ""),
    ],
)
def test_filters_become_selectors_or_are_told_of(filters: object, options: object, note: str) -> None:
    (found,) = entries(json.dumps(watch_list({"url": "https://a.example/", "include_filters": filters})).encode())
    assert found.options == options
    assert note in found.note


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "list.unknown_format"),
        (b"Dear diary,\ntoday I watched nothing.", "list.unknown_format"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "list.unknown_format"),
        (b"<rss><channel/></rss>", "opml.unknown_format"),
        (b'{"watching": {}}', "list.no_watches"),
        (b'{"watching": [[[', "corrupt"),
        (backup(**{"holiday.txt": "x"}), "list.no_watches"),
        (backup(**{"url-watches.json": "no"}), "corrupt"),
        (b"PK\x03\x04 and no more", "corrupt"),
    ],
)
def test_what_is_no_list_is_refused(data: bytes, code: str) -> None:
    with pytest.raises(ReadError) as caught:
        entries(data)
    assert caught.value.code == code


def test_a_bomb_is_refused() -> None:
    with pytest.raises(ReadError):
        entries(backup(**{"url-watches.json": b"0" * 200_000_000}))


@pytest.mark.parametrize(
    "data",
    [
        b"<DL><p>" + b"<H3" * 200_000,
        b"<DL><p>" + b'<A HREF="' * 200_000,
        b"<DL><p>" * 200_000,
        b"url\n" + b"," * 1_000_000,
        b"a.b\n" * 300_000,
        b'{"watching": ' + b"[" * 200_000,
    ],
    ids=["headings", "quotes", "depth", "commas", "lines", "brackets"],
)
def test_a_hostile_file_takes_no_time(data: bytes) -> None:
    began = time.process_time()
    with suppress(ReadError):
        first_entries(data, 10_000)
    assert time.process_time() - began < 5


@given(st.binary(max_size=400))
def test_any_bytes_are_a_list_or_refused(data: bytes) -> None:
    for prefix in (b"", b"url,name\n", b"<DL><p>", b'{"watching":'):
        with suppress(ReadError):
            assert len(first_entries(prefix + data, 5).outlines) <= 5


def test_entries_beyond_the_limit_are_counted() -> None:
    found = first_entries(b"a.example\n" * 7, 3)
    assert (len(found.outlines), found.total) == (3, 7)
