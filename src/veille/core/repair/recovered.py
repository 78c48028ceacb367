"""The source answers again: its original interval is restored."""

from __future__ import annotations

from veille.core.repair import Case, Repair, RepairRule


class Recovered(RepairRule):
    """Ends a back-off."""

    order = 20
    when = "a good answer after a back-off"
    does = "goes back to the original interval"

    def propose(self, case: Case) -> Repair | None:
        source = case.source
        if source.original_interval_ms is None or source.failures:
            return None
        change = {"interval_ms": source.original_interval_ms, "original_interval_ms": None}
        return case.repair("recovered", change, f"{source.url} answers again.")
