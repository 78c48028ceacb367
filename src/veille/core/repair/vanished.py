"""The address answers "not found": further checks are useless."""

from __future__ import annotations

from veille.core.repair import Case, Repair, RepairRule

#: One 404 may be a deployment; two in a row, with a pause between them, are final. "Gone" (410) is final at once.
PROOFS = {"http.404": 2, "http.410": 1}


class Vanished(RepairRule):
    """Marks a source whose own address is gone."""

    order = 60
    when = "404 twice in a row, or 410"
    does = "broken, unless a feed is found to have moved"

    def propose(self, case: Case) -> Repair | None:
        source = case.source
        if source.failures < PROOFS.get(source.error_code, source.failures + 1):
            return None
        status = source.error_code.removeprefix("http.")
        checks = "the last check" if source.failures == 1 else f"the last {source.failures} checks"
        return case.broken("vanished", f"{source.url} was answered with {status} at {checks}.")
