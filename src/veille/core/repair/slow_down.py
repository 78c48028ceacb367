"""The server says that there are too many requests."""

from __future__ import annotations

from veille.core.repair import Case, Repair, RepairRule
from veille.core.schedule import MAX_ATTEMPTS

FIRST_DELAY_S = 2
MAX_DELAY_S = 3600


class SlowDown(RepairRule):
    """Doubles the pause between requests. The whole host is paused meanwhile, see `core.politeness`."""

    order = 40
    when = "429"
    does = "doubles `delay_s` of the source, once a check, up to an hour; that stays"

    def propose(self, case: Case) -> Repair | None:
        source = case.source
        # The retries in between belong to the same check.
        is_once_a_check = source.failures == 1 or source.failures >= MAX_ATTEMPTS
        if source.error_code != "http.429" or not is_once_a_check:
            return None
        before = float(source.config.get("delay_s", 0))
        delay = min(max(before * 2, FIRST_DELAY_S), MAX_DELAY_S)
        if delay <= before:
            return None
        proof = f"{source.url} was answered with 429 Too Many Requests."
        return case.repair("slow_down", {"config": {"delay_s": delay}}, proof)
