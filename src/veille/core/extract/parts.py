"""Parts: what a user pointed at on the page, found again by its marks."""

from __future__ import annotations

from typing import ClassVar

from veille.core.extract import Candidate, Page, Strategy
from veille.core.pick.finding import find_part
from veille.core.pick.flat import FlatPage
from veille.errors import ReadError


class ByParts(Strategy):
    """Every picked part, in the order of the page; none at all if one of them is lost."""

    order: ClassVar[int] = 5

    def candidate(self, page: Page) -> Candidate | None:
        wanted = page.options.parts
        if not wanted:
            return None
        flat = FlatPage(page.tree)
        found: set[int] = set()
        for part in wanted:
            where = find_part(flat, part)
            if where.n is None:
                raise lost(part.text, where.why)
            found.add(where.n)
        outer = [n for n in sorted(found) if not any(one != n and flat.holds(one, n) for one in found)]
        return Candidate(
            nodes=tuple(flat.nodes[n] for n in outer), score=1.0, reasons=(f"{len(found)} parts were found",)
        )


def without_ignored(page: Page) -> Page:
    """The page without the parts that are to be ignored; one that is not there needs not be ignored."""
    flat = FlatPage(page.tree)
    found = {where.n for part in page.options.without if (where := find_part(flat, part)).n is not None}
    if not found:
        return page
    wanted = {where.n for part in page.options.parts if (where := find_part(flat, part)).n is not None}
    for n in sorted(found - wanted):
        if not any(one != n and flat.holds(one, n) for one in found):
            flat.nodes[n].decompose()
    return Page(page.tree.html or "", page.url, page.options)


def lost(text: str, why: str) -> ReadError:
    """The error for a part that cannot be told from the rest of the page any more."""
    return ReadError(
        f"The picked part ({' '.join(text.split())[:80]!r}) is not on the page any more: {why}. What was there before "
        "stays. Point at it again: choose Change the part on the page of the source.",
        code="part_lost",
    )
