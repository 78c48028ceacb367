"""The site rejects our user agent: a browser's may be accepted, unless robots.txt forbids the page."""

from __future__ import annotations

from veille.core.repair import Case, Proposal, RepairRule, Wanted
from veille.core.traffic import Payload

#: One refusal may be temporary; two in a row are a rule.
PROOFS = 2
#: Tried in this order; if the last one is rejected too, a person must decide.
AGENTS = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 14_6) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18 Safari/605.1.15",
    "Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0",
)
KINDS = frozenset({"page", "feed"})


class Forbidden(RepairRule):
    """Uses the first of three user agents that is accepted; only if robots.txt is known to allow the page."""

    order = 30
    when = "403 twice in a row; at once for other kinds than page and feed, where a key was revoked"
    does = (
        "for a page or feed, tries three other user agents and goes on under the first that is let in, if robots.txt "
        "allows the page (only proposed with `rotate_agent=false`); else broken"
    )

    def propose(self, case: Case) -> Proposal:
        source = case.source
        if source.error_code != "http.403":
            return None
        if source.kind not in KINDS:
            return case.broken("forbidden", f"{source.url} was answered with 403 Forbidden; is the key still good?")
        if source.failures < PROOFS:
            return None
        return self._another_name(case)

    def _another_name(self, case: Case) -> Proposal:
        source = case.source
        refused = f"The last {source.failures} checks of {source.url} were answered with 403 Forbidden"
        for agent in AGENTS:
            wanted = Wanted(url=source.url, user_agent=agent)
            look = case.looks.get(wanted)
            if look is None:
                return wanted
            if look.robots != "allowed":
                return case.broken("forbidden", f"{refused}, and robots.txt does not allow us there.")
            if isinstance(look.answer, Payload):
                change = {"config": {"user_agent": agent}}
                proof = f"{refused}; under the name {agent} it answers, and robots.txt allows it."
                return case.repair("forbidden", change, proof, automatic=bool(source.config.get("rotate_agent", True)))
        return case.broken("forbidden", f"{refused}, and three other user agents are turned away, too.")
