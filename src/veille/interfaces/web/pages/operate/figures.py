"""Statistics of a dossier, as charts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from fastapi import Response
from markupsafe import Markup

from veille.core.report.figures import CheckCounts, Stock, week_of
from veille.core.schedule import DAY
from veille.interfaces.web._routes import Pages, within
from veille.interfaces.web.actions.show import Show, Showing
from veille.interfaces.web.views.charts import Series, bars, columns, told, week

routes = Pages("figures")

_DAYS = 30
_HOURS = 24
_HOSTS = 12
#: Measuring the index reads all of it, so the numbers are cached for so long.
_KEEP_MS = 600_000


@routes.get("/d/{dossier_id}/figures", auth=within("read"))
def _figures(show: Showing) -> Response:
    """Statistics of the last days, and the size of the dossier."""
    now = show.app.clock()
    since = now - (_DAYS - 1) * DAY
    figures = show.reading.figures
    by_day, hosts = figures.by_day(since), figures.by_host(since, _HOSTS)
    published, due = figures.published(), figures.due(now, _HOURS)
    starts = range(since // DAY * DAY, now + 1, DAY)
    days = [by_day.get(start, CheckCounts()) for start in starts]
    hours = ["now", *(f"+{hour} h" for hour in range(1, _HOURS))]
    stock, measured_at = _stock(show, now)
    labels = [f"{datetime.fromtimestamp(start / 1000, UTC):%-d %b}" for start in starts]
    return show(
        "figures.html",
        total=sum(days, CheckCounts()),
        stock=stock,
        measured_at=measured_at,
        has_hosts=bool(hosts),
        charts=_by_day(labels, days) | _by_host(hosts),
        week=week("When documents were published, by hour and weekday", week_of(published)) if published else "",
        due=columns(
            "Requests that fall due in the coming hours",
            hours,
            [Series("due", "c1", due)],
            empty="Nothing falls due in the coming day.",
        ),
    )


def _by_day(labels: Sequence[str], days: Sequence[CheckCounts]) -> dict[str, Markup]:
    changes = [
        Series("new", "c-new", [one.new for one in days]),
        Series("changed", "c-changed", [one.changed for one in days]),
        Series("removed", "c-removed", [one.removed for one in days]),
    ]
    shares = [100 * one.not_modified / one.asked if one.asked else 0 for one in days]
    volume = [Series("fetched", "c1", [one.bytes for one in days]), Series("saved", "c2", [one.saved for one in days])]
    return {
        "changes": columns("Changes per day", labels, changes, empty="What is new and what changed, day by day."),
        "shares": columns(
            "Share of answers that said: not modified",
            labels,
            [Series("", "c2", shares)],
            "%",
            empty="No server has said “not modified” yet: most do from the second check on.",
        ),
        "volume": columns("Bytes fetched, and bytes that were saved", labels, volume, "B"),
    }


def _by_host(hosts: Sequence[tuple[str, CheckCounts]]) -> dict[str, Markup]:
    asked = [(host, one) for host, one in hosts if one.asked]
    good = [(host, 1 - one.failed / one.asked, one.asked) for host, one in asked]
    # Hosts that never answered have no response time.
    pace = [(host, one.duration_ms / one.asked) for host, one in asked if one.failed < one.asked]
    shares = [(host, share, f"{100 * share:.0f} % of {told(number)}") for host, share, number in good]
    return {
        "success": bars("Share of requests that succeeded", shares, "c-new", 1.0),
        "latency": bars("Time to answer, on average", [(host, ms, f"{ms:.0f} ms") for host, ms in pace]),
    }


def _stock(show: Show, now: int) -> tuple[Stock, int]:
    """The size of the dossier, and when it was measured."""
    kept: dict[str, tuple[int, Stock]] = show.request.app.state.stocks
    at, stock = kept.get(show.dossier.id, (0, None))
    if stock is None or not 0 <= now - at < _KEEP_MS:
        at, stock = now, show.reading.figures.stock()
        kept[show.dossier.id] = (at, stock)
    return stock, at
