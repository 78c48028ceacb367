"""Selectors or paths find nothing any more, but what they found is elsewhere in the answer: it is watched there."""

from __future__ import annotations

from veille.core.repair import Case, Proposal, RepairRule, Wanted
from veille.core.seek.candidates import LISTS, Sought, limits

#: A page that was incomplete only once is complete again at the next check.
PROOFS = 2
CODES = frozenset({"no_match", "api.path", "api.field"})


class FoundAgain(RepairRule):
    """Changes selectors, or the path of a list."""

    order = 36
    when = "selectors or paths that find nothing twice in a row, while what they found is elsewhere in the answer"
    does = (
        "watches it where it is now, if four fifths of it are the same (of a list: if half of the entries are known); "
        "from one half (one quarter) on that is only proposed. A language model, if there is one, is asked for ideas, "
        "which need the same proof"
    )

    def propose(self, case: Case) -> Proposal:
        source = case.source
        is_chosen = source.kind in LISTS or (source.kind == "page" and bool(source.config.get("selectors")))
        if source.error_code not in CODES or source.failures < PROOFS or not is_chosen:
            return None
        wanted = Wanted(url=source.url, seek=Sought.CONTENT)
        look = case.looks.get(wanted)
        if look is None:
            return wanted
        best = next(iter(look.found), None)
        proven, worth_showing = limits(source.kind)
        if best is None or best.likeness < worth_showing:
            return None
        by = f" as {best.by} suggested" if best.by else ""
        proof = (
            f"The last {source.failures} checks of {source.url} failed with {source.error_code}. Looked for elsewhere"
            f"{by}, {best.likeness:.0%} of it is as it was: {best.sample!r}."
        )
        return case.repair("found_again", best.change, proof, automatic=best.likeness >= proven)
