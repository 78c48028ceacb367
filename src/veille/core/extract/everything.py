"""Everything: all visible text of the page, if no other strategy finds content."""

from __future__ import annotations

from typing import ClassVar

from veille.core.extract import Candidate, Page, Strategy
from veille.core.extract.output.markup import markup_of_node
from veille.core.extract.output.render import render


class Everything(Strategy):
    """The last resort: keeps all text, judges nothing."""

    order: ClassVar[int] = 90

    def candidate(self, page: Page) -> Candidate | None:
        reading = page.reading
        text = render(reading, [True] * reading.count)
        if not text:
            return None
        return Candidate(
            text=text, score=0.1, make_markup=lambda: markup_of_node(page.root, page.base), reasons=("last resort",)
        )
