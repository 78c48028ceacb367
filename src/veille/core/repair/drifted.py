"""The page was redesigned and the selectors match nothing: its content is extracted automatically for now."""

from __future__ import annotations

from veille.core.models import Json
from veille.core.repair import Case, Repair, RepairRule

#: A page that was incomplete only once is complete again at the next check.
PROOFS = 2


class Drifted(RepairRule):
    """Falls back to automatic extraction."""

    order = 40
    when = "selectors that match nothing, twice in a row (`no_match`)"
    does = "falls back on mode `auto`, which prefers CSS selectors again as soon as they match"

    def propose(self, case: Case) -> Repair | None:
        source = case.source
        if source.error_code != "no_match" or source.failures < PROOFS:
            return None
        selectors = ", ".join(source.config.get("selectors", ()))
        change: Json = {"mode": "auto"}
        if source.config.get("mode") == "xpath":
            # Mode `auto` would read XPath selectors as CSS.
            change["selectors"] = None
        proof = f"At the last {source.failures} checks nothing on {source.url} matched {selectors}."
        return case.repair("drifted", {"config": change}, proof)
