"""What changes on every load is told apart from news (R-070)."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veille.core.moments import NOW, without_moments
from veille.core.quirks import MOST_QUIRKS, Look, learn, look, news

AT = 1_771_943_400_000  # 2026-02-24 14:30 UTC
DAY = 86_400_000

BODY = ("Harbour", "The bridge stays closed.", "The council meets on Friday.", "More soon.")


def seen(*lines: str, at: int = AT) -> Look:
    return Look(lines=lines, at=at)


def among(line: str, place: int = 2) -> Look:
    return seen(*BODY[:place], line, *BODY[place:])


def test_the_same_lines_are_no_news() -> None:
    assert news(seen(*BODY), seen(*BODY)) == []


@pytest.mark.parametrize(
    "lines",
    [
        ("Views: 12", "Views: 15", "Views: 1,034"),
        ("Read by 12 people in this town", "Read by 9 people in this town", "Read by 4711 people in this town"),
        ("Session 8f3a9c", "Session 77b1d0", "Session 01c2aa"),
        ("Buy new shoes at half price", "A car for everyone", "Our hats are warm"),
        ("Sponsored: shoes", "Sponsored: a car for everyone", "Sponsored: warm hats"),
    ],
)
def test_what_differs_between_two_looks_is_no_news_after_that(lines: tuple[str, str, str]) -> None:
    first, second, third = map(among, lines)
    assert news(first, second)
    quirks = learn(first, second)
    assert news(first, third, quirks) == []
    assert news(second, third, quirks) == []


@pytest.mark.parametrize(
    "edited",
    [
        ("Harbour", "The bridge is open.", "Views: 15", "The council meets on Friday.", "More soon."),
        ("Harbour", "The bridge stays closed.", "Views: 15", "More soon."),
        ("Harbour", "The bridge stays closed.", "Views: 15", "A word.", "The council meets on Friday.", "More soon."),
        ("Harbour news", "The bridge stays closed.", "Views: 15", "The council meets on Friday.", "More soon."),
    ],
)
def test_an_edit_beside_a_quirk_is_news(edited: tuple[str, ...]) -> None:
    quirks = learn(among("Views: 12"), among("Views: 13"))
    assert len(news(among("Views: 12"), seen(*edited), quirks)) == 1


def test_an_edit_of_a_line_with_a_quirk_is_news() -> None:
    line = "Read by {} people in this town"
    quirks = learn(among(line.format(1)), among(line.format(2)))
    assert news(among(line.format(1)), among("Read by 3 people in this city"), quirks)


def test_a_place_takes_no_more_than_it_was_seen_to_hold() -> None:
    quirks = learn(among("Buy new shoes"), among("Warm hats today"))
    longer = seen(*BODY[:2], "Buy cars", "And here is a paragraph that somebody wrote by hand.", *BODY[2:])
    assert news(among("Buy new shoes"), longer, quirks)


def test_lists_that_come_in_another_order_each_time() -> None:
    shuffled = [seen("Popular", *items) for items in (("a", "b", "c"), ("c", "a", "b"), ("b", "c", "a"))]
    assert len(news(shuffled[0], shuffled[1])) == 1
    assert news(shuffled[0], shuffled[2], learn(shuffled[0], shuffled[1])) == []


def test_ignored_lines_do_not_count() -> None:
    patterns = [re.compile("^Ad:")]
    assert news(look("T", "One\nAd: x", AT, patterns), look("T", "One\nAd: y", AT, patterns)) == []
    assert news(look("T", "One", AT), look("U", "One", AT))


@pytest.mark.parametrize(
    "written",
    [
        "Tuesday, {:%d %B %Y}",
        "{:%B %d, %Y}",
        "{:%Y-%m-%d}",
        "{:%d.%m.%Y}",
        "{:%Y-%m-%dT%H:%M:%SZ}",
        "Now {:%H:%M}",
        "{:%I:%M %p}",
    ],
)
def test_the_moment_of_loading_is_no_news(written: str) -> None:
    def line(at: int) -> str:
        return "Last loaded " + written.format(datetime.fromtimestamp(at / 1000, UTC))

    later = AT + 3 * DAY + 37 * 60_000
    assert NOW in without_moments(line(AT), AT)
    assert news(seen("a", line(AT), "b"), seen("a", line(later), "b", at=later)) == []


@pytest.mark.parametrize("line", ["5 minutes ago", "an hour ago", "vor 3 Tagen", "il y a 2 heures", "hace 1 día"])
def test_how_long_ago_is_no_news(line: str) -> None:
    assert news(seen("a", line, "b"), seen("a", "2 days ago", "b")) == []


@pytest.mark.parametrize("line", ["Meeting on 3 March 2027", "Price: 12.99", "Founded 1999-01-01", "Opens at 09:00"])
def test_other_dates_and_numbers_are_news(line: str) -> None:
    other = re.sub(r"\d(?=\D*$)", "8", line)
    assert news(seen("a", line, "b"), seen("a", other, "b"))


def test_quirks_do_not_grow_for_ever() -> None:
    quirks: tuple[object, ...] = ()
    for number in range(200):
        quirks = learn(among(f"shoes of {number} a"), among(f"cars {number} for b c d"), quirks)  # type: ignore[arg-type]
    assert len(quirks) <= MOST_QUIRKS


_LINES = st.lists(st.sampled_from(["a", "b c", "b d", "e f g", "e h g", "1", "2", ""]), max_size=8)


@given(_LINES, _LINES)
def test_what_two_looks_tell_explains_their_own_difference(one: list[str], other: list[str]) -> None:
    first, second = (look("T", "\n".join(lines), AT) for lines in (one, other))
    quirks = learn(first, second)
    assert news(first, second, quirks) == []
    assert news(first, first) == []
