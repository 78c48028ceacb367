"""Everything: all visible text of the page, if no other strategy finds content."""

from __future__ import annotations

from typing import ClassVar

from veille.core.extract import AUTO, Candidate, Page, Strategy
from veille.core.extract.output.markup import markup_of_node
from veille.core.extract.output.render import render


class Everything(Strategy):
    """The last resort: keeps all text. Where nobody asked for all of it, a manual loses what surrounds its text."""

    order: ClassVar[int] = 90

    def candidate(self, page: Page) -> Candidate | None:
        reading = page.reading
        kept = _not_furniture(page) if page.options.mode == AUTO and page.may_be_manual else []
        is_part = any(kept)
        text = render(reading, kept if is_part else [True] * reading.count)
        if not text:
            return None
        return Candidate(
            text=text,
            score=0.1,
            make_markup=lambda: page.markup(kept) if is_part else markup_of_node(page.root, page.base),
            reasons=("last resort",),
        )


def _not_furniture(page: Page) -> list[bool]:
    """For each block of a manual whether it is none of what surrounds the text."""
    if not page.reading.count:
        return []
    from veille.core.extract.judge.furniture import all_but_furniture  # noqa: PLC0415 - numpy takes its time to load

    return all_but_furniture(page.reading, page.facts, page.announced, page.article_type)
