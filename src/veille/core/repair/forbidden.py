"""The site turns our name away: under a browser's name it may let us in, unless its owner has said no to robots."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from veille.core.models import Source
from veille.core.records import RunItem
from veille.core.repair import Repair, Rule

FORBIDDEN = 403
#: One refusal may be a passing block; two in a row are a rule.
PROOFS = 2
#: Tried in this order; when the last one is turned away too, somebody has to look.
AGENTS = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 14_6) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18 Safari/605.1.15",
    "Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0",
)
KINDS = frozenset({"page", "feed"})


class Forbidden(Rule):
    """Proposes the next user agent for a page or feed that answers 403; never for a site whose robots.txt forbids us.

    A proposal only: we introduce ourselves honestly unless a person decides otherwise for this source.
    """

    def propose(self, source: Source, history: Sequence[RunItem]) -> Repair | None:
        own = [item for item in history if item.url == source.url]
        refused = list(takewhile(lambda item: item.status == FORBIDDEN, own))
        if source.kind not in KINDS or len(refused) < PROOFS or any(item.code == "robots" for item in history):
            return None
        used = source.config.get("user_agent", "")
        agent = next((agent for agent in AGENTS[AGENTS.index(used) + 1 if used in AGENTS else 0 :]), None)
        if agent is None:
            return None
        proof = f"The last {len(refused)} checks of {source.url} were answered with 403 Forbidden."
        return Repair(
            rule="forbidden",
            source_id=source.id,
            change={"config": {**source.config, "user_agent": agent}},
            proof=proof,
        )
