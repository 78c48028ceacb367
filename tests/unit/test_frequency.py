"""When channels send: pauses, digests, quiet hours and storms, also where clocks jump."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from veille.core.alerts.frequency import MOST_ALERTS, Bundle, Frequency, Sent, bundled, frequency_of
from veille.core.alerts.models import MessageKind
from veille.core.schedule import DAY, HOUR, MINUTE
from veille.errors import ConfigError

PARIS = "Europe/Paris"
ONCE = Frequency()


def at(text: str, zone: str = PARIS) -> int:
    """A time of the clock in a zone; `*` after it: the second of two equal ones."""
    moment = datetime.fromisoformat(text.rstrip("*")).replace(tzinfo=ZoneInfo(zone), fold=int(text.endswith("*")))
    return round(moment.timestamp() * 1000)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("at once", Frequency()),
        ("every 2h", Frequency(every_ms=2 * HOUR)),
        ("at most every 30 min", Frequency(every_ms=30 * MINUTE)),
        ("Every 3 days", Frequency(every_ms=3 * DAY)),
        ("daily 08:00", Frequency(digest="0 8 * * *")),
        ("daily at 8:05 Europe/Paris", Frequency(digest="5 8 * * *", zone=PARIS)),
        ("weekly on Monday at 07:30 Asia/Tokyo", Frequency(digest="30 7 * * 1", zone="Asia/Tokyo")),
        ("at once, quiet 22:00-07:00 Europe/Paris", Frequency(quiet=(1320, 420), zone=PARIS)),
        ("daily 08:00 Europe/Paris, quiet 22:00 to 9:00", Frequency(digest="0 8 * * *", quiet=(1320, 540), zone=PARIS)),
    ],
)
def test_a_frequency_is_read_as_people_write_it(text: str, meant: Frequency) -> None:
    assert frequency_of(text) == meant


@pytest.mark.parametrize(
    "text",
    [
        "",
        "often",
        "every 10s",
        "every 30 days",
        "daily",
        "daily 25:00",
        "weekly 08:00",
        "weekly xyz 08:00",
        "at once, x",
        "at once, quiet 08:00-08:00",
        "daily 08:00 Mars/Olympus",
        "every 2h every 3h",
    ],
)
def test_what_is_no_frequency_is_refused(text: str) -> None:
    with pytest.raises(ConfigError) as refused:
        frequency_of(text)
    assert refused.value.code in {"bad_frequency", "bad_zone"}


@pytest.mark.parametrize(
    ("fired", "sent"),
    [
        ("2026-11-16T07:59", "2026-11-16T08:00"),
        ("2026-11-16T08:00", "2026-11-17T08:00"),
        # The nights in which the clock is set: neither left out nor twice.
        ("2026-03-28T09:00", "2026-03-29T08:00"),
        ("2026-03-29T09:00", "2026-03-30T08:00"),
        ("2026-10-24T09:00", "2026-10-25T08:00"),
        ("2026-10-25T09:00", "2026-10-26T08:00"),
    ],
)
def test_a_digest_comes_at_its_hour_of_the_clock(fired: str, sent: str) -> None:
    assert frequency_of("daily 08:00 Europe/Paris").send_at(at(fired), None) == at(sent)


def test_a_digest_in_the_hour_that_is_left_out_or_comes_twice_comes_once_a_day() -> None:
    digest = frequency_of("daily 02:30 Europe/Paris")
    for begin in ("2026-03-27T12:00", "2026-10-23T12:00"):
        now, times = at(begin), []
        for _ in range(4):
            now = digest.send_at(now, None)
            times.append(datetime.fromtimestamp(now / 1000, ZoneInfo(PARIS)).date())
        assert len(set(times)) == 4
        assert (times[-1] - times[0]).days == 3


@pytest.mark.parametrize(
    ("fired", "sent"),
    [
        ("2026-11-16T21:59", "2026-11-16T21:59"),
        ("2026-11-16T22:00", "2026-11-17T07:00"),
        ("2026-11-17T03:00", "2026-11-17T07:00"),
        ("2026-11-17T07:00", "2026-11-17T07:00"),
        ("2026-03-28T23:00", "2026-03-29T07:00"),
        ("2026-10-24T23:00", "2026-10-25T07:00"),
        ("2026-10-25T02:30*", "2026-10-25T07:00"),
    ],
)
def test_nothing_is_sent_in_quiet_hours(fired: str, sent: str) -> None:
    assert frequency_of("at once, quiet 22:00-07:00 Europe/Paris").send_at(at(fired), None) == at(sent)


def test_what_fires_is_told_one_by_one_and_at_once() -> None:
    plan = bundled(ONCE, [1, 2, 3], [], 10, storm=30)
    assert plan == ((Bundle(MessageKind.ALERT, 1),) * 3, None)
    assert bundled(ONCE, [], [], 10, storm=30) == ((), None)


def test_a_pause_gathers_what_comes_meanwhile() -> None:
    every = frequency_of("every 2h")
    assert bundled(every, [1000], [], 1000, 30).bundles == (Bundle(MessageKind.ALERT, 1),)
    sent = [Sent(1000, MessageKind.ALERT, 1)]
    assert bundled(every, [2000, 3000], sent, 4000, 30) == ((), 1000 + 2 * HOUR)
    assert bundled(every, [2000, 3000], sent, 1000 + 2 * HOUR, 30).bundles == (Bundle(MessageKind.GATHERED, 2),)


def test_a_night_of_quiet_ends_with_one_message() -> None:
    quiet = frequency_of("at once, quiet 22:00-07:00 Europe/Paris")
    fired = [at("2026-11-16T23:00"), at("2026-11-17T01:00")]
    assert bundled(quiet, fired, [], at("2026-11-17T06:59"), 30) == ((), at("2026-11-17T07:00"))
    assert bundled(quiet, fired, [], at("2026-11-17T07:00"), 30).bundles == (Bundle(MessageKind.GATHERED, 2),)


def test_a_storm_becomes_one_summary_an_hour() -> None:
    now = 10 * HOUR
    plan = bundled(ONCE, [now] * 31, [], now, storm=30)
    assert plan.bundles == (Bundle(MessageKind.STORM, 31),)
    sent = [Sent(now, MessageKind.STORM, 31)]
    assert bundled(ONCE, [now + 1], sent, now + MINUTE, storm=30) == ((), now + HOUR)
    assert bundled(ONCE, [now + 1], sent, now + HOUR, storm=30).bundles == (Bundle(MessageKind.ALERT, 1),)


def test_a_message_has_a_largest_size_and_the_rest_follows() -> None:
    plan = bundled(frequency_of("daily 08:00"), [0] * (MOST_ALERTS + 1), [], DAY, 30)
    assert plan.bundles == (Bundle(MessageKind.DIGEST, MOST_ALERTS), Bundle(MessageKind.DIGEST, 1))


def test_a_clock_that_was_ahead_holds_nothing_up() -> None:
    every = frequency_of("every 2h")
    assert bundled(every, [0], [Sent(1000 * DAY, MessageKind.ALERT, 1)], HOUR, 30).bundles
