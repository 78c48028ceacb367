"""`between 08:00 and 18:00 Europe/Paris`: a time of day."""

from __future__ import annotations

from dataclasses import dataclass

from veille.core.rules.amounts import clock, zone, zone_named
from veille.core.rules.condition import WindowCondition
from veille.core.rules.phrase import Phrase
from veille.core.rules.subject import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class AtHours(WindowCondition):
    """Between two times of day, in minutes: from the first on, and before the second."""

    help = (
        "It happens from the first time of day on, and before the second, in a time zone (UTC without one). The second "
        "may be of the next day."
    )
    examples = ("between 08:00 and 18:00 Europe/Paris", "between 22:00 and 06:00")
    order = 40

    start: int
    end: int
    zone: str

    @classmethod
    def parse(cls, phrase: Phrase) -> AtHours | None:
        phrase.take("it is")
        if not phrase.take("between", "from"):
            return None
        start = clock(phrase)
        end = clock(phrase) if start is not None and phrase.take("and", "to", "until") else None
        if start is None or end is None:
            return None
        found = zone(phrase)
        # A window that begins at 24:00 begins with the day.
        start %= 24 * 60
        if start == end:
            phrase.fail("The two times are the same.")
        return cls(start=start, end=end, zone=found) if phrase.is_over else None

    def holds(self, subject: Subject) -> bool:
        local = subject.local_time(zone_named(self.zone))
        minute = local.hour * 60 + local.minute
        if self.start < self.end:
            return self.start <= minute < self.end
        return minute >= self.start or minute < self.end

    def found(self, subject: Subject) -> str:
        return f"it was {subject.local_time(zone_named(self.zone)):%H:%M} in {self.zone}"

    found_not = found
