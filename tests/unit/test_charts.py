from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from veille.core.schedule import DAY
from veille.interfaces.web.views.charts import Series, bars, columns, nice, spark, steps, told, week

NAME = "{http://www.w3.org/2000/svg}"
HOSTILE = '"><script>alert(1)</script>'


def _parsed(chart: str) -> ET.Element:
    return ET.fromstring(chart)  # noqa: S314 - our own


@pytest.mark.parametrize(
    ("most", "unit", "end"),
    [(0, "", 1), (1, "", 1), (3, "", 4), (7, "", 10), (43, "", 50), (101, "", 200), (30, "%", 100), (1500, "B", 2048)],
)
def test_an_axis_ends_at_a_round_number(most: float, unit: str, end: float) -> None:
    assert nice(most, unit) == end


@pytest.mark.parametrize("exponent", range(12))
def test_nothing_is_above_the_end_of_the_axis(exponent: int) -> None:
    for digit in range(1, 10):
        for unit in ("", "B"):
            most = digit * 10**exponent + 1
            assert most <= nice(most, unit) <= most * 20


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0, "", "0"),
        (999, "", "999"),
        (12_400, "", "12.4k"),
        (2_000_000, "", "2M"),
        (1536, "B", "1.5 KB"),
        (50, "%", "50 %"),
    ],
)
def test_values_are_shown_in_few_characters(value: float, unit: str, text: str) -> None:
    assert told(value, unit) == text


def test_columns_are_stacked_and_as_high_as_their_values() -> None:
    chart = _parsed(columns("T", ["a", "b"], [Series("new", "c-new", [1, 0]), Series("gone", "c-gone", [3, 2])]))
    boxes = [(box.get("class"), float(box.get("height", 0)), float(box.get("y", 0))) for box in chart.iter("rect")]
    heights = {style: [height for one, height, _ in boxes if one == style] for style in ("c-new", "c-gone")}
    assert heights["c-gone"][0] == pytest.approx(3 * heights["c-new"][0], abs=0.2)
    below, above = boxes[0], boxes[1]
    assert above[2] + above[1] == pytest.approx(below[2], abs=0.2)
    assert len(boxes) == 3


@pytest.mark.parametrize("count", [1, 2, 30, 1000])
def test_columns_look_right_however_many_there_are(count: int) -> None:
    labels = [str(n) for n in range(count)]
    chart = _parsed(columns("T", labels, [Series("new", "c-new", [n % 3 + 1 for n in range(count)])]))
    boxes = [(float(box.get("x", 0)), float(box.get("width", 0))) for box in chart.iter("rect")]
    assert all(2 <= width <= 24 for _, width in boxes)
    assert all(left + width <= following for (left, width), (following, _) in pairwise(boxes))
    assert boxes[0][0] >= 52
    assert boxes[-1][0] + boxes[-1][1] <= 460
    assert [one.text for one in chart.iter("text") if one.get("class") == "last"]
    total = sum(float((title.text or "").split(": ")[1].split()[0]) for box in chart.iter("rect") for title in box)
    assert total == sum(n % 3 + 1 for n in range(count)), "putting neighbours together loses nothing"


def test_an_empty_chart_says_what_will_be_there() -> None:
    for chart in (columns("T", ["a", "b"], [Series("new", "c-new", [0, 0])], empty="Soon <more>."), bars("T", [])):
        assert not list(_parsed(chart).iter("rect"))
        assert [one.text for one in _parsed(chart).iter("text")] in (["Soon <more>."], ["No host was asked yet."])


def test_every_mark_has_a_label() -> None:
    chart = _parsed(bars("T", [("example.org", 0.5, "50 % of 8")], top=1))
    assert [title.text for title in chart.iter("title")] == ["T", "example.org: 50 % of 8"]
    counts = [[0] * 24 for _ in range(7)]
    counts[2][9] = 4
    (busiest,) = [box for box in _parsed(week("T", counts)).iter("rect") if box.get("class") == "heat h5"]
    assert [title.text for title in busiest.iter("title")] == ["Wed 09:00: 4"]


def test_what_others_wrote_stays_text() -> None:
    for chart in (bars(HOSTILE, [(HOSTILE, 1, HOSTILE)]), spark(HOSTILE, {0: 1}, 2), columns(HOSTILE, [HOSTILE], [])):
        assert not list(_parsed(chart).iter("script"))
        assert "<script" not in chart


def test_a_sparkline_has_a_stroke_for_each_place_with_something() -> None:
    drawn = spark("Changes", {0: 1, 2: 0, 29: 4, 30: 9}, 30)
    assert 'd="M1 24v-8M88 24v-16"' in drawn


@pytest.mark.parametrize("count", [0, 1, 2, 60, 1000])
def test_a_line_of_steps_is_one_path_within_its_frame_however_many_points_it_has(count: int) -> None:
    points = [(n * DAY, float(n % 7), f"{n % 7} EUR") for n in range(count)]
    chart = _parsed(steps("price", points, count * DAY))
    (path,) = (one for one in chart.iter() if one.get("class") == "steps")
    numbers = [float(number) for number in re.findall(r"[\d.]+", path.get("d", ""))]
    assert all(0 <= number <= 460 for number in numbers)
    assert bool(numbers) is bool(count)
    assert len([one for one in chart.iter() if one.get("class") == "c1"]) == (count if count <= 60 else 1)


def test_a_line_of_steps_has_a_gap_while_there_was_no_value() -> None:
    chart = steps("price", [(0, 1.0, "1"), (DAY, None, ""), (2 * DAY, 2.0, "2"), (3 * DAY, 3.0, "3")], 4 * DAY)
    (path,) = (one.get("d", "") for one in _parsed(chart).iter() if one.get("class") == "steps")
    assert (path.count("M"), path.count("L"), path.count("H")) == (2, 1, 3)
