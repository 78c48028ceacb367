"""Everything: all visible text of the page, when no other way finds content."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from veille.core.extract import Candidate, Strategy
from veille.core.extract._html import html_of_node
from veille.core.extract._render import render

if TYPE_CHECKING:
    from veille.core.extract import Parsed


class Everything(Strategy):
    """The last resort: nothing is lost, nothing is judged."""

    order: ClassVar[int | None] = 90

    def find(self, parsed: Parsed) -> Candidate | None:
        text = render(parsed.page, [True] * len(parsed.page.blocks))
        if not text:
            return None
        return Candidate(
            text=text, quality=0.2, make_html=lambda: html_of_node(parsed.root, parsed.url), reasons=("last resort",)
        )
