"""When a channel sends: at once, at most every so often, or as a digest; and never in its quiet hours.

    at once
    every 2h
    daily 08:00 Europe/Paris
    weekly mon 08:00 Europe/Paris
    at once, quiet 22:00-07:00 Europe/Paris

What comes while a channel has to wait is gathered, and told in one message.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

from veille.core.alerts.models import MessageKind
from veille.core.change.cron import next_in_zone, zone_of
from veille.core.schedule import DAY, HOUR, MINUTE, duration_ms
from veille.errors import ConfigError

#: The most alerts in one message; the rest follows in the next.
MOST_ALERTS: Final = 500
#: A clock that was ahead may have set a time this far in the future; nothing waits longer.
_LONGEST_WAIT: Final = 8 * DAY
_DAYS: Final = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_CLOCK: Final = r"([01]?\d|2[0-3]):([0-5]\d)"
_ONCE: Final = re.compile(r"at once|immediately", re.IGNORECASE)
_EVERY: Final = re.compile(
    r"(?:at most )?every ((?:\d{1,9} ?(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?) ?){1,4})",
    re.IGNORECASE,
)
_DAILY: Final = re.compile(rf"daily(?: at)? {_CLOCK}(?: (\S+))?", re.IGNORECASE)
_WEEKLY: Final = re.compile(rf"weekly (?:on )?([a-z]{{3,9}})(?: at)? {_CLOCK}(?: (\S+))?", re.IGNORECASE)
_QUIET: Final = re.compile(rf"quiet (?:from )?{_CLOCK} ?(?:-|to) ?{_CLOCK}(?: (\S+))?", re.IGNORECASE)
_EXAMPLES: Final = "at once, every 2h, daily 08:00 Europe/Paris, weekly mon 08:00, at once, quiet 22:00-07:00"


@dataclass(frozen=True, slots=True, kw_only=True)
class Frequency:
    """When a channel may send."""

    #: The least time between two messages; 0 for none.
    every_ms: int = 0
    #: The cron expression of a digest; empty if there is none.
    digest: str = ""
    #: The hours in which nothing is sent, as minutes of the day: from, to.
    quiet: tuple[int, int] | None = None
    zone: str = "UTC"

    def send_at(self, fired_at: int, sent_at: int | None) -> int:
        """When an alert is told; `sent_at` is when the channel last sent something."""
        at = fired_at
        if self.digest:
            at = next_in_zone(self.digest, self.zone, fired_at)
        elif self.every_ms and sent_at is not None and sent_at <= fired_at + self.every_ms:
            at = max(fired_at, sent_at + self.every_ms)
        return self._after_quiet(at)

    def _after_quiet(self, at: int) -> int:
        if self.quiet is None:
            return at
        begin, end = self.quiet
        local = datetime.fromtimestamp(at / 1000, zone_of(self.zone))
        minute = local.hour * 60 + local.minute
        is_quiet = begin <= minute < end if begin < end else minute >= begin or minute < end
        if not is_quiet:
            return at
        midnight = local.replace(hour=0, minute=0, second=0, microsecond=0)
        day = midnight if minute < end else midnight + timedelta(days=1)
        # Wall time: the end is at the same hour of the clock on days with 23 or 25 hours.
        over = day.replace(hour=end // 60, minute=end % 60)
        return max(at, round(over.astimezone(UTC).timestamp() * 1000))


def frequency_of(text: str) -> Frequency:
    """Parse a frequency; ConfigError `bad_frequency` says what is expected.

    >>> frequency_of("every 2h").every_ms
    7200000
    >>> frequency_of("weekly mon 8:00 Europe/Paris, quiet 22:00-07:00").digest
    '0 8 * * 1'
    """
    first, _, rest = " ".join(text.split()).partition(",")
    given = _sending(first)
    if rest.strip():
        given |= _quiet(rest.strip())
    frequency = Frequency(**given)
    zone_of(frequency.zone)
    return frequency


def _sending(text: str) -> dict[str, Any]:
    if _ONCE.fullmatch(text):
        return {}
    if found := _EVERY.fullmatch(text):
        every_ms = duration_ms(found[1])
        if not MINUTE <= every_ms <= 7 * DAY:
            raise ConfigError("Between two messages there can be a minute to seven days.", code="bad_frequency")
        return {"every_ms": every_ms}
    if found := _DAILY.fullmatch(text):
        return {"digest": f"{int(found[2])} {int(found[1])} * * *", "zone": found[3] or "UTC"}
    if (found := _WEEKLY.fullmatch(text)) and found[1].lower()[:3] in _DAYS:
        day = _DAYS.index(found[1].lower()[:3])
        return {"digest": f"{int(found[3])} {int(found[2])} * * {day}", "zone": found[4] or "UTC"}
    raise ConfigError(f"{text[:80]!r} is no frequency; write it like one of: {_EXAMPLES}.", code="bad_frequency")


def _quiet(text: str) -> dict[str, Any]:
    found = _QUIET.fullmatch(text)
    if found is None:
        raise ConfigError(
            f"{text[:80]!r} is not understood; quiet hours are written as: quiet 22:00-07:00 Europe/Paris.",
            code="bad_frequency",
        )
    begin, end = int(found[1]) * 60 + int(found[2]), int(found[3]) * 60 + int(found[4])
    if begin == end:
        raise ConfigError("Quiet hours end at another time than they begin.", code="bad_frequency")
    return {"quiet": (begin, end)} | ({"zone": found[5]} if found[5] else {})


class Sent(NamedTuple):
    """What a channel sent: when, as what, and how many alerts."""

    at: int
    kind: MessageKind
    alerts: int


class Bundle(NamedTuple):
    """The next alerts that go into one message."""

    kind: MessageKind
    alerts: int


class SendingPlan(NamedTuple):
    """The messages to make now, in order, and when to look again; None if nothing waits."""

    bundles: tuple[Bundle, ...]
    next_at: int | None


def bundled(frequency: Frequency, fired: Sequence[int], sent: Sequence[Sent], now: int, storm: int) -> SendingPlan:
    """How to tell the waiting alerts, which fired at these times, oldest first.

    `sent` are the messages of the last hour and the last one before. More than `storm` alerts in an hour are a storm:
    then at most one message an hour is sent, with all that waits.
    """
    if not fired:
        return SendingPlan((), None)
    last = max((one.at for one in sent), default=None)
    due = [min(frequency.send_at(at, last), now + _LONGEST_WAIT) for at in fired]
    ready = sum(1 for at in due if at <= now)
    if not ready:
        return SendingPlan((), min(due))
    if frequency.digest:
        return _pieces(MessageKind.DIGEST, ready, due)
    # What waited because of a pause is one message; of two that just fired, each is told by itself.
    if frequency.every_ms > 0 or (ready > 1 and due[0] > fired[0]):
        return _pieces(MessageKind.GATHERED if ready > 1 else MessageKind.ALERT, ready, due)
    return _one_by_one(ready, due, sent, now, storm)


def _one_by_one(ready: int, due: Sequence[int], sent: Sequence[Sent], now: int, storm: int) -> SendingPlan:
    recent = sum(one.alerts for one in sent if one.at > now - HOUR)
    if recent + ready <= storm:
        return SendingPlan((Bundle(MessageKind.ALERT, 1),) * ready, min(due[ready:], default=None))
    last_storm = max((one.at for one in sent if one.kind is MessageKind.STORM), default=None)
    if last_storm is not None and now - HOUR < last_storm <= now:
        return SendingPlan((), last_storm + HOUR)
    return _pieces(MessageKind.STORM, ready, due)


def _pieces(kind: MessageKind, ready: int, due: Sequence[int]) -> SendingPlan:
    sizes = [min(MOST_ALERTS, ready - begin) for begin in range(0, ready, MOST_ALERTS)]
    return SendingPlan(tuple(Bundle(kind, size) for size in sizes), min(due[ready:], default=None))
