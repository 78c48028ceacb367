"""The address has been answering "not found" for a while: checking it every hour helps nobody."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from veille.core.models import Source
from veille.core.records import RunItem
from veille.core.repair import Repair, Rule

#: One missing page may be a deployment; three in a row, with pauses between them, are a decision.
PROOFS = 3
GONE = frozenset({404, 410})


class Vanished(Rule):
    """Proposes to pause a source whose own address has gone."""

    def propose(self, source: Source, history: Sequence[RunItem]) -> Repair | None:
        own = [item for item in history if item.url == source.url]
        missing = list(takewhile(lambda item: item.status in GONE, own))
        if len(missing) < PROOFS:
            return None
        proof = f"The last {len(missing)} checks of {source.url} were answered with {missing[0].status}."
        return Repair(rule="vanished", source_id=source.id, change={"enabled": False}, proof=proof)
