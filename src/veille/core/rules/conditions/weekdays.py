"""`on mon-fri Europe/Paris`: a day of the week."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from veille.core.rules.amounts import zone, zone_named
from veille.core.rules.condition import WindowCondition
from veille.core.rules.phrase import Phrase
from veille.core.rules.subject import Subject

_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_GROUPS: Final = {"weekdays": (0, 1, 2, 3, 4), "workdays": (0, 1, 2, 3, 4), "weekends": (5, 6), "weekend": (5, 6)}
_SHORTEST: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class OnDays(WindowCondition):
    """On some days of the week; Monday is 0."""

    help = "It happens on one of these days of the week, in a time zone (UTC without one)."
    examples = ("on mon-fri Europe/Paris", "on sat,sun", "on weekdays Europe/Paris")
    order = 40

    days: frozenset[int]
    zone: str

    @classmethod
    def parse(cls, phrase: Phrase) -> OnDays | None:
        phrase.take("it is")
        if not phrase.take("on"):
            return None
        days: set[int] = set()
        while written := phrase.word("days of the week, like mon-fri or sat,sun"):
            days.update(_days(written, phrase))
            if not written.endswith(","):
                break
        if not days:
            return None
        found = zone(phrase)
        return cls(days=frozenset(days), zone=found) if phrase.is_over else None

    def holds(self, subject: Subject) -> bool:
        return subject.local_time(zone_named(self.zone)).weekday() in self.days

    def found(self, subject: Subject) -> str:
        return f"it was {_DAYS[subject.local_time(zone_named(self.zone)).weekday()].title()} in {self.zone}"

    found_not = found


def _days(written: str, phrase: Phrase) -> set[int]:
    found: set[int] = set()
    for part in filter(None, written.split(",")):
        if part in _GROUPS:
            found.update(_GROUPS[part])
            continue
        first, dash, last = part.replace("–", "-").partition("-")  # noqa: RUF001 - people write it
        start = _day(first, phrase)
        end = _day(last, phrase) if dash else start
        found.update((start + step) % 7 for step in range((end - start) % 7 + 1))
    return found


def _day(written: str, phrase: Phrase) -> int:
    for number, name in enumerate(_DAYS):
        if len(written) >= _SHORTEST and (name.startswith(written) or written == name + "s"):
            return number
    return phrase.fail("These are no days of the week. Write them as mon-fri or sat,sun.")
