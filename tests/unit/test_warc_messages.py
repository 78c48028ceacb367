"""HTTP answers in WARC records, as bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veille.core.warc.captures import WarcCapture, warc_date
from veille.core.warc.messages import http_message
from veille.core.warc.revisions import unpacked_revision_facts
from veille.errors import ReadError


def test_an_answer_has_its_status_its_headers_and_its_body() -> None:
    found = http_message(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nLink: <a>\r\nlink: <b>\r\nbroken\r\n\r\n<p>a")
    assert (found.status, found.body) == (200, b"<p>a")
    assert found.headers == {"content-type": "text/html", "link": "<a>, <b>"}
    assert http_message(b"HTTP/2 404 \n\nx").status == 404


@pytest.mark.parametrize(
    ("body", "joined"),
    [
        (b"5\r\nhello\r\n6;x=1\r\n world\r\n0\r\n\r\n", b"hello world"),
        (b"5\nhello\n0\n\n", b"hello"),
        (b"0\r\n\r\n", b""),
        (b"<html>joined already", b"<html>joined already"),
        (b"", b""),
    ],
)
def test_chunks_are_joined_once(body: bytes, joined: bytes) -> None:
    assert http_message(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body).body == joined


@pytest.mark.parametrize("block", [b"", b"HTTP/1.1 200 OK\r\n", b"GET / HTTP/1.1\r\n\r\n", b"HTTP/1.1 2x0\r\n\r\n"])
def test_what_is_no_answer_is_refused(block: bytes) -> None:
    with pytest.raises(ReadError) as raised:
        http_message(block)
    assert raised.value.code == "warc_record"


def test_chunks_that_stop_are_refused() -> None:
    for cut in (b"5\r\nhello\r\nff\r\n wor", b"5\r\nhel", b"5\r\nhello!"):
        with pytest.raises(ReadError, match="stops before its end"):
            http_message(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + cut)


@given(st.binary(max_size=300))
def test_any_bytes_are_an_answer_or_refused(data: bytes) -> None:
    for block in (data, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + data):
        try:
            http_message(block)
        except ReadError as error:
            assert error.code == "warc_record"  # noqa: PT017 - most of them are fine


@pytest.mark.parametrize(
    ("status", "media_type", "is_page"),
    [
        (200, "text/html; charset=utf-8", True),
        (200, "application/pdf", True),
        (200, "", True),
        (200, "image/png", False),
        (200, "text/css", False),
        (301, "text/html", False),
        (404, "text/html", False),
    ],
)
def test_only_what_may_have_a_text_is_a_page(status: int, media_type: str, *, is_page: bool) -> None:
    capture = WarcCapture(url="http://a/", at=1, status=status, headers={"content-type": media_type})
    assert capture.is_page is is_page


def test_dates_are_written_to_the_millisecond() -> None:
    assert warc_date(1_700_000_000_007) == "2023-11-14T22:13:20.007Z"


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"[]", b"{}", b'{"document": 3}', b"\xff", b"[" * 100_000),
        b'{"document": "a", "source": {"name": "", "kind": "", "url": ""}, "title": "\\ud800"}',
        b'{"document": "a", "source": {"name": "", "kind": "", "url": ""}, "quality": 7}',
    ],
)
def test_facts_that_are_none_are_refused(data: bytes) -> None:
    with pytest.raises(ReadError) as raised:
        unpacked_revision_facts(data)
    assert raised.value.code == "warc_record"
