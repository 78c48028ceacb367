"""Times of day and days of the week, also where clocks are changed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from occurrences import at, changed, fires, found
from veille.rules import RuleError, compile_rule

PARIS = "Europe/Paris"

HOURS = [
    ("between 08:00 and 18:00 Europe/Paris", at("2026-11-16 08:00", PARIS), True),
    ("between 08:00 and 18:00 Europe/Paris", at("2026-11-16 07:59:59", PARIS), False),
    ("between 08:00 and 18:00 Europe/Paris", at("2026-11-16 17:59:59", PARIS), True),
    ("between 08:00 and 18:00 Europe/Paris", at("2026-11-16 18:00", PARIS), False),
    ("between 8 and 18 in Europe/Paris", at("2026-07-16 08:00", PARIS), True),
    ("between 08:00 and 18:00", at("2026-07-16 08:00", PARIS), False),
    ("from 8h30 to 9.15", at("2026-07-16 09:14", "UTC"), True),
    ("between 22:00 and 06:00", at("2026-07-16 23:00", "UTC"), True),
    ("between 22:00 and 06:00", at("2026-07-16 05:59", "UTC"), True),
    ("between 22:00 and 06:00", at("2026-07-16 06:00", "UTC"), False),
    ("between 00:00 and 24:00", at("2026-07-16 00:00", "UTC"), True),
    ("between 18:00 and 24:00", at("2026-07-16 23:59:59", "UTC"), True),
    ("between 24:00 and 06:00", at("2026-07-16 00:00", "UTC"), True),
    ("between 24:00 and 06:00", at("2026-07-16 23:59", "UTC"), False),
    # Clocks go from 02:00 to 03:00 on 29 March 2026: what happens then happens after three.
    ("between 02:00 and 03:00 Europe/Paris", at("2026-03-29 01:59:59", PARIS) + 1000, False),
    ("between 03:00 and 04:00 Europe/Paris", at("2026-03-29 01:59:59", PARIS) + 1000, True),
    ("between 01:00 and 02:00 Europe/Paris", at("2026-03-29 01:59:59", PARIS), True),
    # Clocks go from 03:00 to 02:00 on 25 October 2026: half past two comes twice.
    ("between 02:00 and 03:00 Europe/Paris", at("2026-10-25 02:30", PARIS), True),
    ("between 02:00 and 03:00 Europe/Paris", at("2026-10-25 02:30", PARIS) + 3_600_000, True),
    ("between 02:00 and 03:00 Europe/Paris", at("2026-10-25 02:30", PARIS) + 7_200_000, False),
]
DAYS = [
    ("on mon-fri", at("2026-11-16 12:00", "UTC"), True),
    ("on mon-fri", at("2026-11-15 12:00", "UTC"), False),
    ("on weekdays", at("2026-11-20 23:59", "UTC"), True),
    ("on weekends", at("2026-11-21 00:00", "UTC"), True),
    ("on sat,sun", at("2026-11-22 12:00", "UTC"), True),
    ("on sat, sun Europe/Paris", at("2026-11-22 12:00", "UTC"), True),
    ("on fri-mon", at("2026-11-15 12:00", "UTC"), True),
    ("on fri-mon", at("2026-11-17 12:00", "UTC"), False),
    ("on Mondays", at("2026-11-16 12:00", "UTC"), True),
    ("on monday Pacific/Auckland", at("2026-11-15 12:00", "UTC"), True),
    ("on monday America/New_York", at("2026-11-16 04:59", "UTC"), False),
    # The day on which clocks are changed ends an hour earlier or later in UTC.
    ("on sunday Europe/Paris", at("2026-03-29 21:59:59", "UTC"), True),
    ("on sunday Europe/Paris", at("2026-03-29 22:00", "UTC"), False),
    ("on sunday Europe/Paris", at("2026-10-25 22:59:59", "UTC"), True),
    ("on sunday Europe/Paris", at("2026-10-25 23:00", "UTC"), False),
]


@pytest.mark.parametrize(("window", "time", "is_in"), [*HOURS, *DAYS])
def test_a_window_is_kept_in_its_time_zone(window: str, time: int, *, is_in: bool) -> None:
    facts = replace(changed(), at=time)
    assert fires(f"is changed and {window}", facts) is is_in
    assert fires(f"is changed and not {window}", facts) is not is_in


def test_the_evidence_has_the_local_time() -> None:
    facts = replace(changed(), at=at("2026-11-16 09:05", PARIS))
    assert found("is changed and between 08:00 and 18:00 Europe/Paris and on weekdays", facts) == [
        "it is changed",
        "it was 09:05 in Europe/Paris",
        "it was Monday in UTC",
    ]


@pytest.mark.parametrize(
    ("window", "said"),
    [
        ("between 08:00 and 08:00", "The two times are the same"),
        ("between 24:00 and 00:00", "The two times are the same"),
        ("between 08:00 and 24:30", "A day ends at 24:00"),
        ("between 08:00 and 25:00", "a time of day, like 08:00"),
        ("between 08:00 and 18:00 Europe/Pari", "There is no such time zone"),
        ("between 08:00 and 18:00 ../../etc/passwd", "There is no such time zone"),
        ("on mon-fri Europe", "There is no such time zone"),
        ("on mon-fri in", "There is no such time zone"),
        ("on mo-fr", "These are no days of the week"),
        ("on funday", "These are no days of the week"),
    ],
)
def test_a_window_that_is_none_is_refused(window: str, said: str) -> None:
    with pytest.raises(RuleError, match=said):
        compile_rule(f"is changed and {window}")
