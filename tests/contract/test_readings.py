from __future__ import annotations

import pytest

from desk import Desk
from samples import NOW
from veille.core.show.reader import PageMetadata, ReaderContent, ReaderResult, not_read

CONTENT = ReaderContent(
    title="Tïtle",
    content="<p>Text.</p>",
    text_content="Text.",
    excerpt=None,
    byline="Ada",
    site_name=None,
    word_count=1,
    reading_time_minutes=1,
)
READ = ReaderResult(
    readable=True,
    metadata=PageMetadata(title="", description="About."),
    content=CONTENT,
    strategy="article",
    error=None,
)
EMPTY = ReaderResult(readable=False, metadata=PageMetadata(title="A"), content=None, strategy=None, error="No content")


@pytest.mark.parametrize("result", [READ, EMPTY, not_read("HTTP 503")], ids=["read", "empty", "failed"])
def test_a_result_comes_back_as_it_was_until_its_time_is_over(desk: Desk, result: ReaderResult) -> None:
    with desk.open() as opened:
        assert opened.readings.get("key", NOW) is None
        opened.readings.put("key", "https://example.org/a", result, NOW, NOW + 10)
        assert opened.readings.get("key", NOW) == opened.readings.get("key", NOW + 9) == result
        assert opened.readings.get("another", NOW) is None
        assert opened.readings.get("key", NOW + 10) is None


def test_a_result_takes_the_place_of_the_one_before(desk: Desk) -> None:
    with desk.open() as opened:
        opened.readings.put("key", "https://example.org/a", READ, NOW, NOW + 10)
        opened.readings.put("other", "https://example.org/b", READ, NOW, NOW + 10)
        opened.readings.put("key", "https://example.org/a", EMPTY, NOW + 1, NOW + 20)
        assert opened.readings.get("key", NOW + 15) == EMPTY
        assert opened.readings.get("other", NOW + 1) == READ


def test_a_result_from_a_clock_that_was_ahead_is_not_given(desk: Desk) -> None:
    with desk.open() as opened:
        opened.readings.put("key", "https://example.org/a", READ, NOW + 1000, NOW + 2000)
        assert opened.readings.get("key", NOW) is None


def test_what_is_over_takes_no_room(desk: Desk) -> None:
    long = ReaderContent(**{name: getattr(CONTENT, name) for name in CONTENT.__slots__} | {"content": "x" * 200_000})
    page = ReaderResult(readable=True, metadata=READ.metadata, content=long, strategy="article", error=None)
    with desk.open() as opened:
        opened.readings.put("0", "https://example.org/0", page, NOW, NOW + 10)
        before = opened.figures.stored()
        for number in range(1, 10):
            at = NOW + number * 10
            opened.readings.put(str(number), f"https://example.org/{number}", page, at, at + 10)
        assert opened.figures.stored() < before + 300_000


def test_addresses_are_stored_and_the_oldest_are_forgotten(desk: Desk) -> None:
    with desk.open() as opened:
        readings = opened.readings
        assert readings.address("a") is None
        for number, page_id in enumerate("abcab"):
            readings.remember(page_id, f"https://example.org/{number}", NOW + number, keep=2)
        assert [readings.address(page_id) for page_id in "abc"] == [
            "https://example.org/3", "https://example.org/4", None,
        ]  # fmt: skip
