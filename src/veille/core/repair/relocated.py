"""The page is gone from its address, but its site links to another one with its title and its text."""

from __future__ import annotations

from veille.core.repair import Case, Proposal, RepairRule, Wanted
from veille.core.repair.feed_moved import places
from veille.core.repair.vanished import PROOFS
from veille.core.seek.candidates import ProvenChange, Sought, limits
from veille.core.urls import host_of


class Relocated(RepairRule):
    """Switches to the address where the page is now."""

    order = 37
    when = "a page that is gone (404 twice in a row, or 410), while a page above it links to one with its title"
    does = (
        "watches that one, if it is on the same host and four fifths of the text are the same; from one half on, and "
        "on another host, that is only proposed. If no link has its title, a language model, if there is one, is asked "
        "which of the links it may be, and each needs the same proof"
    )

    def propose(self, case: Case) -> Proposal:
        source = case.source
        if source.kind != "page" or source.failures < PROOFS.get(source.error_code, source.failures + 1):
            return None
        for place in places(source.url):
            wanted = Wanted(url=place, seek=Sought.LINKS)
            look = case.looks.get(wanted)
            if look is None:
                return wanted
            for link in look.found:
                if (verdict := self._proven(case, place, link)) is not None:
                    return verdict
        return None

    def _proven(self, case: Case, place: str, link: ProvenChange) -> Proposal:
        wanted = Wanted(url=link.change["url"], seek=Sought.MOVED)
        look = case.looks.get(wanted)
        if look is None:
            return wanted
        best = next(iter(look.found), None)
        proven, worth_showing = limits(case.source.kind)
        if best is None or best.likeness < worth_showing:
            return None
        by = f" (an idea of {link.by})" if link.by else ""
        proof = (
            f"{case.source.url} fails with {case.source.error_code}; {place} links to {best.change['url']}{by}, where "
            f"{best.likeness:.0%} of its text is as it was: {best.sample!r}."
        )
        # Another host may copy a page to have it watched.
        is_home = host_of(best.change["url"]) == host_of(case.source.url)
        return case.repair("relocated", best.change, proof, automatic=is_home and best.likeness >= proven)
