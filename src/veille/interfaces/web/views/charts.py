"""Charts as SVG, without scripts or a library; colours are CSS classes, so that the style sheet does light and dark.

Every chart has a title and every mark has a tooltip with its value, for screen readers too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import ceil, log2, log10

from markupsafe import Markup, escape

from veille.core.report.figures import Count, carried
from veille.core.schedule import DAY

_WIDTH, _HEIGHT = 460, 190
_LEFT, _BOTTOM, _TOP = 52, 24, 18
_BAR = 24
#: The widest column, and the most columns that can be told apart.
_WIDEST, _COLUMNS = 24, 90
_NAMES = 160
#: Characters of a value that stand beside its line.
_SAID = 10
#: Half the width of a label under a column, so that the last one fits.
_HALF = 22
#: Of sparklines: distance between strokes, and height.
_STROKE, _SPARK = 3, 24
#: Days of a sparkline of activity, and checks in a chart of them.
_DAYS, _CHECKS = 30, 60
#: Of the line of a value: height, and the most dots on it.
_STEPS, _DOTS = 120, 60
#: About how wide a letter of the last value of a line is.
_LETTER = 9
#: Height of a chart without values.
_EMPTY = 80
_WEEK = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


@dataclass(frozen=True, slots=True)
class Series:
    """A named series of values; `style` is the CSS class of its colour."""

    name: str
    style: str
    values: Sequence[float]


def columns(
    title: str, labels: Sequence[str], series: Sequence[Series], unit: str = "", empty: str = "Nothing yet."
) -> Markup:
    """A stacked column chart over time, the last column with its value; without values, what will be there.

    However many values there are, columns can be told apart: neighbours are put together.
    """
    labels, series = _fewer(labels, series, is_share=unit == "%")
    sums = [sum(values) for values in zip(*(one.values for one in series), strict=True)]
    if not any(sums):
        return _empty(title, empty)
    top = nice(max(sums), unit)
    room, height = _WIDTH - _LEFT, _HEIGHT - _BOTTOM - _TOP
    step = room / len(labels)
    width = min(_WIDEST, step * 0.8)
    parts = [_lines(top, height, unit)]
    for place, label in enumerate(labels):
        left, y = _LEFT + (place + 0.5) * step - width / 2, float(_TOP + height)
        for one in series:
            size = one.values[place] / top * height
            if size:
                y -= size
                said = f"{label}: {told(one.values[place], unit)} {one.name}"
                parts.append(_box(one.style, (left, y, width, size), said))
    last = _TOP + height * (1 - sums[-1] / top)
    middle = min(_LEFT + room - step / 2, _WIDTH - _HALF)
    if sums[-1]:
        parts.append(_text(middle, last - 5, told(sums[-1], unit), "middle", "last"))
    every = max(1, ceil(len(labels) / 6))
    parts += [
        _text(min(_LEFT + (place + 0.5) * step, _WIDTH - _HALF), _HEIGHT - 6, label, "middle")
        for place, label in enumerate(labels)
        if place % every == 0
    ]
    return _svg(title, "".join(parts), _HEIGHT)


def _fewer(
    labels: Sequence[str], series: Sequence[Series], *, is_share: bool
) -> tuple[Sequence[str], Sequence[Series]]:
    """Neighbours put together, as sums or as means, so that no more columns are left than can be told apart."""
    size = ceil(len(labels) / _COLUMNS)
    if size <= 1:
        return labels, series
    starts = range(0, len(labels), size)
    spans = [(labels[at], labels[min(at + size, len(labels)) - 1]) for at in starts]
    kept = []
    for one in series:
        groups = [one.values[at : at + size] for at in starts]
        values = [sum(group) / (len(group) if is_share else 1) for group in groups]
        kept.append(Series(one.name, one.style, values))
    return [first if first == last else f"{first} – {last}" for first, last in spans], kept  # noqa: RUF001 - a dash


def bars(title: str, rows: Sequence[tuple[str, float, str]], style: str = "c1", top: float | None = None) -> Markup:
    """A horizontal bar for each (name, value, label); the label is at the end of the bar."""
    if not rows:
        return _empty(title, "No host was asked yet.")
    most = top or max(value for _, value, _ in rows) or 1
    room = _WIDTH - _NAMES - 90
    parts = []
    for place, (name, value, said) in enumerate(rows):
        y = place * _BAR + 4
        short = name if len(name) <= 23 else name[:22] + "…"  # noqa: PLR2004 - as much as fits
        parts.append(_text(_NAMES - 8, y + 13, short, "end"))
        parts.append(_box(style, (_NAMES, y, max(1, min(1.0, value / most) * room), _BAR - 8), f"{name}: {said}"))
        parts.append(_text(_NAMES + max(1, min(1.0, value / most) * room) + 6, y + 13, said, "start"))
    return _svg(title, "".join(parts), len(rows) * _BAR + 8)


def steps(title: str, points: Sequence[tuple[int, float | None, str]], end: int) -> Markup:
    """A line of (time, number, text) that goes sideways until the next point, and ends at `end`; None is a gap.

    The axis goes from the lowest number to the highest. All is one path, with dots only while they can be told apart.
    """
    numbers = [number for _, number, _ in points if number is not None]
    low, high = min(numbers, default=0.0), max(numbers, default=0.0)
    first = points[0][0] if points else end
    # The last value stands behind the end of the line, where nothing is; as its page writes it, if that is short.
    is_led = len(points) > 1 and points[-1][1] is not None
    last = (points[-1][2] if len(points[-1][2]) <= _SAID else told(numbers[-1])) if is_led else ""
    right = _WIDTH - max(_HALF, _LETTER * len(last) + 10)
    room, height = right - _LEFT, _STEPS - _BOTTOM - _TOP

    def across(at: int) -> float:
        return _LEFT + room * (at - first) / max(1, end - first)

    def up(number: float) -> float:
        return _TOP + height * ((high - number) / (high - low) if high > low else 0.5)

    path, dots, was = "", [], None
    following = [*(at for at, _, _ in points[1:]), end]
    for (at, number, said), until in zip(points, following, strict=False):
        if number is not None:
            path += f"{'M' if was is None else 'L'}{across(at):.1f} {up(number):.1f}H{across(until):.1f}"
            dots.append(_dot(across(at), up(number), f"{_day(at)}: {said}"))
        was = number
    parts = [_text(_LEFT - 6, up(number) + 4, told(number), "end") for number in sorted({low, high}) if numbers]
    name = _time if _day(first) == _day(end) else _day
    parts += [_text(_LEFT, _STEPS - 6, name(first), "start"), _text(right, _STEPS - 6, name(end), "end")]
    parts.append(Markup('<path class="steps" d="{}"/>').format(path))
    if last and was is not None:
        parts.append(_text(right + 6, up(was) + 4, last, "start", "last"))
    return _svg(title, "".join([*parts, *(dots if len(dots) <= _DOTS else dots[-1:])]), _STEPS)


def week(title: str, counts: Sequence[Sequence[int]]) -> Markup:
    """A heat map of the week: one cell for each hour of each day, darker for higher counts."""
    most = max(map(max, counts), default=0) or 1
    step = (_WIDTH - _LEFT) / 24
    parts = []
    for day, hours in enumerate(counts):
        y = day * _BAR
        parts.append(_text(_LEFT - 8, y + 15, _WEEK[day], "end"))
        for hour, count in enumerate(hours):
            box = (_LEFT + hour * step + 1, y + 1, step - 2, _BAR - 2)
            parts.append(_box(f"heat h{ceil(count / most * 5)}", box, f"{_WEEK[day]} {hour:02}:00: {count}"))
    parts += [_text(_LEFT + (hour + 0.5) * step, 7 * _BAR + 16, f"{hour:02}", "middle") for hour in range(0, 24, 3)]
    return _svg(title, "".join(parts), 7 * _BAR + _BOTTOM)


def spark(title: str, counts: Mapping[int, float], places: int) -> Markup:
    """A sparkline that fits into a table row; heights are square roots, so that a count of 1 is visible.

    A table has many of them: zeros are not drawn, and all strokes are one path, so that the page stays small.
    """
    most = max(counts.values(), default=0) or 1
    strokes = [
        f"M{place * _STROKE + 1} {_SPARK}v-{max(3, round((count / most) ** 0.5 * _SPARK))}"
        for place, count in sorted(counts.items())
        if count and 0 <= place < places
    ]
    width = places * _STROKE
    return Markup(
        '<svg class="spark" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img"><title>{t}</title>'
        '<path d="{d}"/></svg>'
    ).format(w=width, h=_SPARK, t=title, d="".join(strokes))


def first_day(now: int) -> int:
    """The first day of the chart; today is the last."""
    return now // DAY - _DAYS + 1


def activity_spark(days: Mapping[int, int]) -> Markup:
    """Sparkline of changes by day, the newest on the right."""
    total = sum(days.values())
    return spark(f"{total} change{'' if total == 1 else 's'} in {_DAYS} days", days, _DAYS)


def checks_chart(counts: Sequence[Count]) -> tuple[list[Series], Markup | str]:
    """The counts of each check, as series for the legend and as a chart (empty when there was no check)."""
    shown = carried(list(counts))[-_CHECKS:]
    series = [
        Series("new", "c-new", [one.new for one in shown]),
        Series("changed", "c-changed", [one.changed for one in shown]),
        Series("removed", "c-removed", [one.removed for one in shown]),
        Series("failed", "c-error", [one.failed for one in shown]),
        Series("as before", "c-same", [max(0, (one.found or 0) - one.new - one.changed) for one in shown]),
    ]
    moments = [datetime.fromtimestamp(one.at / 1000, UTC) for one in shown]
    is_one_day = len({moment.date() for moment in moments}) == 1
    labels = [f"{moment:%H:%M}" if is_one_day else f"{moment:%-d %b}" for moment in moments]
    return series, columns("What each check found", labels, series) if shown else ""


def nice(most: float, unit: str = "") -> float:
    """The end of an axis: a round number not below the largest value."""
    if unit == "%":
        return 100
    if most <= 0:
        return 1
    base: int = 1024 ** int(log2(most) / 10) if unit == "B" and most > 1 else 1
    power: int = base * 10 ** max(0, int(log10(max(1, most / base))))
    return next(power * step for step in (1, 2, 4, 5, 10, 20) if power * step >= most)


def told(value: float, unit: str = "") -> str:
    """A value, short enough for an axis."""
    if unit == "B":
        for size, name in ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB")):
            if value >= size:
                return f"{_short(value / size)} {name}"
        return f"{value:.0f} B"
    if unit == "%":
        return f"{value:.0f} %"
    for size, name in ((1_000_000, "M"), (10_000, "k")):
        if value >= size:
            return f"{_short(value / (1000 if name == 'k' else size))}{name}"
    return _short(value)


def _short(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"  # noqa: PLR2004 - three digits are enough


def _lines(top: float, height: float, unit: str) -> Markup:
    parts = []
    for part in (0.0, 0.5, 1.0):
        y = _TOP + height * (1 - part)
        parts.append(
            Markup('<line class="axis" x1="{}" x2="{}" y1="{y:.1f}" y2="{y:.1f}"/>').format(_LEFT, _WIDTH, y=y)
        )
        if part == 0.0 or top * part == int(top * part) or unit:
            parts.append(_text(_LEFT - 6, y + 4, told(top * part, unit), "end"))
    return Markup("").join(parts)


def _box(style: str, place: tuple[float, float, float, float], said: str) -> Markup:
    x, y, width, height = (f"{value:.1f}" for value in place)
    return Markup('<rect class="{}" x="{}" y="{}" width="{}" height="{}"><title>{}</title></rect>').format(
        style, x, y, width, height, said
    )


def _dot(x: float, y: float, said: str) -> Markup:
    return Markup('<circle class="c1" cx="{:.1f}" cy="{:.1f}" r="3"><title>{}</title></circle>').format(x, y, said)


def _day(at: int) -> str:
    return f"{datetime.fromtimestamp(at / 1000, UTC):%-d %b %Y}"


def _time(at: int) -> str:
    return f"{datetime.fromtimestamp(at / 1000, UTC):%H:%M}"


def _text(x: float, y: float, text: str, anchor: str, style: str = "") -> Markup:
    known = Markup(' class="{}"').format(style) if style else ""
    return Markup('<text{} x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(known, x, y, anchor, text)


def _empty(title: str, said: str) -> Markup:
    """The frame of a chart that has nothing to show yet, with what will be there."""
    line = Markup('<line class="axis" x1="0" x2="{}" y1="{y}" y2="{y}"/>').format(_WIDTH, y=_EMPTY - 1)
    return _svg(title, "".join([line, _text(_WIDTH / 2, _EMPTY / 2 + 4, said, "middle")]), _EMPTY)


def _svg(title: str, inside: str, height: float) -> Markup:
    head = f'<svg class="chart" viewBox="0 0 {_WIDTH} {height:.0f}" role="img"><title>{escape(title)}</title>'
    return Markup(head + inside + "</svg>")  # noqa: S704 - consists of escaped parts only
