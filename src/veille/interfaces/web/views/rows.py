"""Template filters for rows of changes: words struck and added, percentages, and the small line of a value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from markupsafe import Markup

from veille.core.show.marked import marked_html
from veille.core.told import TextEdit

#: Width and height of the line of a value in a row.
_TREND = (92, 24)


def percentage(value: float) -> str:
    """By how much something rose or fell."""
    shown = f"{abs(value):.0f}" if abs(value) >= 10 else f"{abs(value):.1f}".removesuffix(".0")  # noqa: PLR2004
    return f"{'+' if value > 0 else '−'}{shown} %"  # noqa: RUF001 - a minus sign, as in print


def trend(numbers: Sequence[float]) -> Markup:
    """A small line of the last numbers of a value, with a dot at the newest."""
    low, high = min(numbers), max(numbers)
    step = (_TREND[0] - 6) / max(1, len(numbers) - 1)
    height = _TREND[1] - 8
    points = [
        (3 + place * step, 4 + height * ((high - one) / (high - low) if high > low else 0.5))
        for place, one in enumerate(numbers)
    ]
    return Markup(
        '<svg class="trend" viewBox="0 0 {w} {h}" width="{w}" height="{h}" aria-hidden="true">'
        '<polyline points="{points}"/><circle cx="{x:.1f}" cy="{y:.1f}" r="2.4"/></svg>'
    ).format(
        w=_TREND[0],
        h=_TREND[1],
        points=" ".join(f"{x:.1f},{y:.1f}" for x, y in points),
        x=points[-1][0],
        y=points[-1][1],
    )


def edits(some: Iterable[TextEdit]) -> Markup:
    """Words struck and added, as HTML."""
    return _edits(tuple(some))


@lru_cache(maxsize=2048)
def _edits(some: tuple[TextEdit, ...]) -> Markup:
    return Markup(marked_html(some))  # noqa: S704 - all but its marks is escaped


ROW_FILTERS = (percentage, trend, edits)
