"""What changes on every load is told apart from news (R-070)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veille.core.change.moments import moves_along
from veille.core.change.quirks import APART, MOST_QUIRKS, TRUSTED_FOR, Look, judge, look
from veille.core.models import Quirk
from veille.core.schedule import DAY, HOUR, MINUTE, SECOND

pytestmark = pytest.mark.covers("R-070")

AT = 1_771_943_400_000  # 2026-02-24 14:30 UTC
BODY = (
    "Harbour", "The bridge stays closed.", "The council meets on Friday.", "Nobody knows more about it.",
    "The ferry leaves at dawn from the old pier.", "It comes back after dark.", "More soon.",
)  # fmt: skip


def seen(*lines: str, at: int = AT) -> Look:
    return Look(lines=lines, at=at)


def among(line: str, *, at: int = AT, body: tuple[str, ...] = BODY) -> Look:
    return seen(*body[:2], line, *body[2:], at=at)


def edited(number: int, line: str) -> tuple[str, ...]:
    return (*BODY[:number], line, *BODY[number + 1 :])


NOISE = [
    ("Views: 12", "Views: 15", "Views: 1,034"),
    ("Read by 12 people in this town", "Read by 9 people in this town", "Read by 4711 people in this town"),
    ("Session 8f3a9c", "Session 77b1d0", "Session 01c2aa"),
    ("Buy new shoes at half price", "A car for everyone", "Our hats are warm"),
    ("Sponsored: shoes", "Sponsored: a car for everyone", "Sponsored: warm hats"),
]


def test_the_same_lines_are_no_news() -> None:
    assert judge(seen(*BODY), [seen(*BODY)]).is_news is False


@pytest.mark.parametrize("lines", NOISE)
def test_one_look_that_differs_asks_for_another_and_two_that_differ_are_no_news(lines: tuple[str, str, str]) -> None:
    first = judge(among(lines[0]), [among(lines[1])])
    assert (first.is_news, first.is_open) == (True, True)
    second = judge(among(lines[0]), [among(lines[1]), among(lines[2])])
    assert second.is_news is False
    assert second.quirks


@pytest.mark.parametrize("lines", NOISE[:3])
def test_what_was_seen_on_two_occasions_needs_no_second_look_for_a_while(lines: tuple[str, str, str]) -> None:
    quirks: tuple[Quirk, ...] = ()
    for occasion in (AT, AT + APART):
        looks = [among(line, at=occasion) for line in lines[:2]]
        quirks = judge(among(lines[2]), looks, quirks).quirks
    assert judge(among(lines[0]), [among(lines[2], at=AT + DAY)], quirks).is_news is False
    late = AT + APART + TRUSTED_FOR + DAY
    assert judge(among(lines[0]), [among(lines[2], at=late)], quirks).is_open is True, "It must prove itself again."


def test_two_looks_of_one_occasion_are_one_proof() -> None:
    pair = [among("Views: 1"), among("Views: 2")]
    quirks = judge(among("Views: 3"), pair, judge(among("Views: 3"), pair).quirks).quirks
    assert [quirk.proofs for quirk in quirks] == [1]


@pytest.mark.parametrize(
    "body",
    [
        edited(1, "The bridge is open."),
        edited(2, "Views are closed until further notice."),
        BODY[:3] + BODY[4:],
        (*BODY[:3], "A word.", *BODY[3:]),
        edited(0, "Harbour news"),
    ],
)
@pytest.mark.parametrize("lines", NOISE)
def test_an_edit_beside_a_quirk_is_news(body: tuple[str, ...], lines: tuple[str, str, str]) -> None:
    looks = [among(line, body=body) for line in (*lines[1:], lines[1])]
    assert judge(among(lines[0]), looks).is_news is True


def test_an_edit_of_the_line_with_the_quirk_is_news() -> None:
    looks = [among(f"Read by {count} people in this city") for count in (1, 2)]
    assert judge(among("Read by 3 people in this town"), looks).is_news is True


def test_a_short_line_in_the_place_of_another_is_looked_at_four_times() -> None:
    kept, same = among("Buy new shoes"), among("Our hats are warm")
    assert judge(kept, [same, same, same]).is_open is True
    assert judge(kept, [same, same, among("A car for everyone")]).is_news is False
    final = judge(kept, [same] * 4)
    assert (final.is_news, final.is_open) == (True, False)


def test_of_two_variants_the_other_is_learned_from_a_second_look_that_is_as_before() -> None:
    kept, other = among("Try our new app today"), among("Have you heard of our letter")
    judged = judge(kept, [other, kept])
    assert judged.is_news is False
    again = judge(kept, [other, kept], judged.quirks)
    later = [Look(lines=one.lines, at=AT + HOUR) for one in (other, kept)]
    quirks = judge(kept, later, again.quirks).quirks
    assert judge(kept, [Look(lines=other.lines, at=AT + DAY)], quirks).is_news is False


def test_one_stale_answer_hides_nothing_for_good() -> None:
    kept, new = seen(*BODY), seen(*edited(1, "The bridge is open to everybody again since noon."))
    quirks = judge(kept, [new, kept]).quirks
    later = [Look(lines=new.lines, at=AT + HOUR), Look(lines=new.lines, at=AT + HOUR)]
    assert judge(kept, later, quirks).is_news is True


def test_nothing_is_learned_from_another_page_altogether() -> None:
    closed = seen("Closed", "We are back soon.")
    assert judge(seen(*BODY), [closed, seen(*BODY)]).quirks == ()


def test_a_page_that_is_another_each_time_is_news_each_time() -> None:
    looks = [seen("Quotes", *(f"{word} {number}" for number in range(9))) for word in ("a b", "c d")]
    assert judge(seen("Quotes", "e f", "g h"), looks).is_news is True


def test_lists_in_another_order_each_time() -> None:
    def page(*items: str, table: tuple[str, ...] = ("1 Rovers", "2 United")) -> Look:
        return seen(*BODY, *table, "Popular", *items)

    kept, one, other = page("a", "b", "c"), page("c", "a", "b"), page("b", "c", "a")
    assert judge(kept, [one]).is_open is True
    assert judge(kept, [one, other]).is_news is False
    turned = [page(*items, table=("2 United", "1 Rovers")) for items in (("c", "a", "b"), ("b", "c", "a"))]
    assert judge(kept, turned).is_news is True


def test_ignored_lines_do_not_count() -> None:
    patterns = ["Ad:*"]
    assert judge(look(["One", "Ad: x"], AT, patterns), [look(["One", "Ad: y"], AT, patterns)]).is_news is False
    assert judge(look(["T", "One"], AT), [look(["U", "One"], AT)]).is_news is True


@pytest.mark.parametrize(
    "written",
    [
        *("Tuesday, {:%d %B %Y}", "{:%B %d, %Y}", "{:%Y-%m-%d}", "{:%d.%m.%Y}"),
        *("{:%Y-%m-%dT%H:%M:%SZ}", "{:%d %B %Y at %H:%M}", "{:%H:%M}", "{:%I:%M %p}"),
    ],
)
def test_the_moment_of_loading_is_no_news_as_long_as_it_moves_along(written: str) -> None:
    def line(at: int) -> str:
        return "Last loaded " + written.format(datetime.fromtimestamp(at / SECOND, UTC))

    later = AT + 3 * DAY + 37 * MINUTE
    assert moves_along(line(AT), AT, line(later), later)
    judged = judge(among(line(AT)), [among(line(later), at=later)])
    assert (judged.is_news, judged.is_passing) == (False, True)
    assert not moves_along(line(AT), AT, line(AT + 2 * DAY + HOUR), AT + 10 * DAY)


@pytest.mark.parametrize(
    ("old", "new", "passed"),
    [
        ("5 minutes ago", "2 hours ago", 2 * HOUR),
        ("an hour ago", "1 day ago", DAY),
        ("vor 3 Tagen", "vor 4 Tagen", DAY),
        ("il y a 2 heures", "il y a 5 heures", 3 * HOUR),
        ("hace 1 día", "hace 2 días", DAY),
    ],
)
def test_how_long_ago_is_no_news_when_it_tells_of_the_same_time(old: str, new: str, passed: int) -> None:
    assert moves_along(old, AT, new, AT + passed)
    assert not moves_along(new, AT, old, AT + 30 * DAY)


@pytest.mark.parametrize(
    ("old", "new", "passed"),
    [
        ("Doors open at 18:00", "Doors open at 20:00", HOUR),
        ("Bids close on 24 February 2026", "Bids close on 26 February 2026", HOUR),
        ("Last accident: 2 years ago", "Last accident: 1 hour ago", DAY),
        ("Meeting on 3 March 2027", "Meeting on 4 March 2027", DAY),
        ("Price: 12.99", "Price: 13.99", DAY),
    ],
)
def test_other_dates_and_numbers_are_news(old: str, new: str, passed: int) -> None:
    assert not moves_along(old, AT, new, AT + passed)
    looks = [among(new, at=AT + passed)] * 3
    assert judge(among(old), looks).is_news is True


def test_a_date_that_was_moved_by_hand_is_told_once_the_days_have_passed_it() -> None:
    kept = among("Bids close on 24 February 2026")
    moved = "Bids close on 25 February 2026"
    assert judge(kept, [among(moved, at=AT + HOUR)]).is_passing is True
    assert judge(kept, [among(moved, at=AT + 3 * DAY)] * 2).is_news is True


def test_long_pages_and_many_quirks_stay_cheap() -> None:
    lines = [f"line {number} of many" for number in range(20_000)]
    looks = [seen(*(f"{line} {word}" for line in lines)) for word in "abc"]
    assert judge(looks[0], looks[1:]).is_news is True
    quirks: tuple[Quirk, ...] = ()
    for number in range(400):
        pair = [among(f"{word} {number} {word}", at=AT + number * HOUR) for word in ("shoes", "hats")]
        quirks = judge(among("x"), pair, quirks).quirks
    assert len(quirks) <= MOST_QUIRKS


_LINES = st.lists(st.sampled_from(["a", "b c", "b d", "e f g", "e h g", "1", "2", "3 days ago", ""]), max_size=8)


@pytest.mark.parametrize(
    "looks",
    [
        pytest.param(("2024-01-01 " * 400 + "there " * 200_000, "there " * 200_000 + "7"), id="one long line"),
        pytest.param(tuple("\n".join(f"{n} {m} " + "word " * 990 for n in range(350)) for m in "ab"), id="many"),
    ],
)
def test_lines_without_end_are_compared_in_bounded_time(looks: tuple[str, str]) -> None:
    # In a worker this is done while it writes; a word by word comparison of all of it would take hours.
    kept, *seen_since = (look(text.split("\n"), AT + n) for n, text in enumerate(("here " * 200_000, *looks)))
    judged = judge(kept, seen_since)
    assert judged.is_news
    assert all(len(quirk.line) <= 1000 for quirk in judged.quirks)


def test_a_number_of_thousands_of_digits_is_no_moment_that_anybody_meant() -> None:
    line = f"{'9' * 5000} days ago"
    assert not moves_along(line, AT, line.replace("9", "8"), AT + DAY)


@given(_LINES, _LINES, _LINES)
def test_whatever_is_seen_what_was_kept_is_no_news(one: list[str], other: list[str], third: list[str]) -> None:
    kept, *looks = (look(["T", *lines], AT) for lines in (one, other, third))
    judged = judge(kept, looks)
    assert judged.is_news or not judged.is_open
    assert judge(kept, [kept], judged.quirks).is_news is False
    # What stands in all looks and was not kept is news.
    if "new here" not in kept.lines:
        both = [Look(lines=(*seen.lines, "new here"), at=AT) for seen in looks]
        assert judge(kept, both).is_news is True
