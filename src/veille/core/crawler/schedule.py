"""When the crawler runs by itself: a cron expression in a time zone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError

from veille.errors import ConfigError

#: Names that cron knows, and the seed's own case: every week.
_NAMED = {
    "@yearly": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@hourly": "0 * * * *",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """When the crawler of a dossier runs by itself."""

    dossier_id: str
    cron: str
    zone: str
    set_by: str
    set_at: int
    next_run_at: int


def next_run(cron: str, zone: str, now: int) -> int:
    """The first moment after now that the expression names, or a ConfigError that says what is wrong with it."""
    try:
        place = ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ConfigError(f"{zone!r} is no time zone; write it as Europe/Madrid or UTC.", code="bad_zone") from error
    try:
        moment = next(CronSim(_NAMED.get(cron.strip().lower(), cron), datetime.fromtimestamp(now / 1000, place)))
    except (CronSimError, StopIteration) as error:
        raise ConfigError(
            f"{cron!r} is no cron expression that comes true ({str(error) or 'no such day'}); five fields are needed: "
            "minute, hour, day, month, weekday, such as '0 3 * * 0' for Sundays at 3.",
            code="bad_cron",
        ) from error
    return round(moment.astimezone(UTC).timestamp() * 1000)
