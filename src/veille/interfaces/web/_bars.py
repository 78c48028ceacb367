"""Small charts as SVG: the numbers that a template draws. Colours are the style sheet's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from veille.core.series import Count

DAYS = 30
DAY_MS = 86_400_000
#: Of a sparkline: pixels for each day, and in all.
_STEP = 3
SPARK_WIDTH, SPARK_HEIGHT = DAYS * _STEP, 24

WIDTH, HEIGHT = 640, 150
_LEFT, _FOOT, _TOP = 44, 22, 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Spark:
    """One upright stroke for each day with changes."""

    path: str
    total: int
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """What one run counted: how much it found, how much of that was new or changed, and whether something failed."""

    x: float
    width: float
    count: Count
    found: float
    new: float
    changed: float

    @property
    def foot(self) -> float:
        return HEIGHT - _FOOT


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """The runs of a source, side by side."""

    bars: Sequence[Bar]
    #: The lines to read heights from: how high, and what they stand for.
    marks: Sequence[tuple[float, int]]
    left: int = _LEFT
    width: int = WIDTH
    height: int = HEIGHT


def spark(days: Mapping[int, int]) -> Spark:
    """The changes of the last days; a single one can be seen beside a hundred.

    >>> spark({0: 1, 29: 4}).path
    'M1 24v-12M88 24v-24'
    """
    most = max(days.values(), default=0)
    strokes = [
        f"M{day * _STEP + _STEP // 2} {SPARK_HEIGHT}v-{max(3, round((count / most) ** 0.5 * SPARK_HEIGHT))}"
        for day, count in sorted(days.items())
        if 0 <= day < DAYS
    ]
    return Spark(path="".join(strokes), total=sum(days.values()), most=most)


def bars(counts: Sequence[Count]) -> Bars:
    """What these runs counted, oldest first."""
    top = _round_up(max((max(one.found or 0, one.new + one.changed) for one in counts), default=1))
    room = HEIGHT - _FOOT - _TOP
    step = (WIDTH - _LEFT) / max(len(counts), 12)
    drawn = [
        Bar(
            x=round(_LEFT + number * step + step * 0.1, 1),
            width=round(step * 0.8, 1),
            count=one,
            found=round((one.found or 0) / top * room, 1),
            new=round(one.new / top * room, 1),
            changed=round(one.changed / top * room, 1),
        )
        for number, one in enumerate(counts)
    ]
    marks = sorted({0, top // 2, top})
    return Bars(bars=drawn, marks=[(round(HEIGHT - _FOOT - mark / top * room, 1), mark) for mark in marks])


def _round_up(number: int) -> int:
    """The next number that is easy to read: 1, 2, 4, 10, 20, 40, 100 and so on."""
    scale = 1
    while True:
        for digit in (1, 2, 4):
            if digit * scale >= number:
                return digit * scale
        scale *= 10
