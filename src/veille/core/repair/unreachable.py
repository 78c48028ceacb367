"""The server fails, is slow or cannot be found: back off until it answers."""

from __future__ import annotations

from veille.core.change.poison import POISON
from veille.core.outcomes import failed_temporarily
from veille.core.repair import Case, Repair, RepairRule
from veille.core.schedule import DAY, MAX_ATTEMPTS

MAX_BACKOFF = DAY


class Unreachable(RepairRule):
    """Doubles the interval, up to a day; the original interval is stored."""

    order = 40
    when = "5xx, timeout, DNS or a broken connection, after the quick retries of a check have failed too; `poison`"
    does = "doubles the interval, up to 24 h, at every check; the first good answer restores it"

    def propose(self, case: Case) -> Repair | None:
        source = case.source
        is_seldom = failed_temporarily(source.error_code) or source.error_code == POISON
        if not is_seldom or source.failures < MAX_ATTEMPTS:
            return None
        interval = max(source.interval_ms, min(source.interval_ms * 2, MAX_BACKOFF))
        if interval == source.interval_ms:
            return None
        original = source.interval_ms if source.original_interval_ms is None else source.original_interval_ms
        proof = f"{source.failures} attempts in a row failed, the last with {source.error_code}: {source.error}"
        change = {"interval_ms": interval, "original_interval_ms": original}
        return case.repair("unreachable", change, proof)
