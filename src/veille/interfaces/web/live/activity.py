"""Small charts of sources: changes in the last days, and results of each check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from veille.core.report.figures import carried
from veille.core.schedule import DAY
from veille.interfaces.web.views.charts import Series, columns, spark

if TYPE_CHECKING:
    from markupsafe import Markup

    from veille.core.report.figures import Count

_DAYS = 30
#: Checks that a chart shows.
_CHECKS = 60


def first_day(now: int) -> int:
    """The first day of the chart; today is the last."""
    return now // DAY - _DAYS + 1


def drawn(days: Mapping[int, int]) -> Markup:
    """Sparkline of changes by day, the newest on the right."""
    total = sum(days.values())
    return spark(f"{total} change{'' if total == 1 else 's'} in {_DAYS} days", days, _DAYS)


def checks_chart(counts: Sequence[Count]) -> tuple[list[Series], Markup | str]:
    """The counts of each check, as series for the legend and as a chart (empty when there was no check)."""
    shown = carried(list(counts))[-_CHECKS:]
    series = [
        Series("new", "c-new", [one.new for one in shown]),
        Series("changed", "c-changed", [one.changed for one in shown]),
        Series("failed", "c-error", [one.failed for one in shown]),
        Series("as before", "c-same", [max(0, (one.found or 0) - one.new - one.changed) for one in shown]),
    ]
    moments = [datetime.fromtimestamp(one.at / 1000, UTC) for one in shown]
    is_one_day = len({moment.date() for moment in moments}) == 1
    labels = [f"{moment:%H:%M}" if is_one_day else f"{moment:%-d %b}" for moment in moments]
    return series, columns("What each check found", labels, series) if shown else ""
