"""What sources bring, as small charts: changes of the last days, and what each look found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from veille.core.report.series import carried
from veille.core.schedule import DAY
from veille.interfaces.web.views.charts import Series, columns, spark

if TYPE_CHECKING:
    from markupsafe import Markup

    from veille.core.report.series import Count

_DAYS = 30
#: Looks that a chart shows.
_LOOKS = 60


def first_day(now: int) -> int:
    """The first of the days that are drawn; today is the last."""
    return now // DAY - _DAYS + 1


def drawn(days: Mapping[int, int]) -> Markup:
    """Changes day by day, the newest at the right."""
    total = sum(days.values())
    return spark(f"{total} change{'' if total == 1 else 's'} in {_DAYS} days", days, _DAYS)


def looks(counts: Sequence[Count]) -> tuple[list[Series], Markup | str]:
    """What each look counted, for the key and as a chart; nothing when there was none."""
    shown = carried(list(counts))[-_LOOKS:]
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
