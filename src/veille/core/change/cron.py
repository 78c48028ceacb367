"""Cron expressions, for sources that are checked at fixed times instead of at an interval."""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError

from veille.errors import ConfigError

#: The named schedules of cron.
_NAMED = {
    "@yearly": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_FIELDS = 5
_ZONE = re.compile(r"CRON_TZ=(\S+)\s+(.+)")


def next_cron(expression: str, now: int) -> int:
    """The first time after `now` that matches the expression, in UTC or in the zone of a leading `CRON_TZ`.

    >>> next_cron("0 6 * * *", 0) == 6 * 3_600_000
    True
    >>> next_cron("CRON_TZ=Europe/Madrid 0 6 * * *", 0) == 5 * 3_600_000
    True
    """
    zoned = _ZONE.fullmatch(expression.strip())
    return next_in_zone(zoned[2], zoned[1], now) if zoned else next_in_zone(expression, "UTC", now)


def next_in_zone(expression: str, zone: str, now: int) -> int:
    """The first time after `now` that matches the expression in a time zone."""
    place = zone_of(zone)
    fields = _NAMED.get(expression.strip().lower(), expression)
    # The library accepts a sixth field for seconds; no source is checked that often.
    usable = fields if len(fields.split()) == _FIELDS else ""
    try:
        moment = next(CronSim(usable, datetime.fromtimestamp(now / 1000, place)))
    except (CronSimError, StopIteration) as error:
        raise ConfigError(
            f"{expression[:100]!r} is no cron expression that comes true ({str(error) or 'no such day'}); five fields "
            "are needed: minute, hour, day, month, weekday, such as '0 6 * * *' for every day at 6.",
            code="bad_cron",
        ) from error
    return round(moment.astimezone(UTC).timestamp() * 1000)


def zone_of(name: str) -> tzinfo:
    """The time zone of that name; ConfigError `bad_zone`."""
    try:
        # UTC works on machines without a time zone database, too.
        return UTC if name == "UTC" else ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ConfigError(
            f"{name[:100]!r} is no time zone; write it as Europe/Madrid or UTC.", code="bad_zone"
        ) from error
