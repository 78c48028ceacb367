"""Density: each block of text is judged by its words, its boxes, its neighbours and the kind of page it is on."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from veille.core.extract import Candidate, Strategy
from veille.core.extract._choice import choose
from veille.core.extract._features import features
from veille.core.extract._html import html_of_blocks
from veille.core.extract._model import likelihood
from veille.core.extract._render import render
from veille.core.extract._words import HINTS

if TYPE_CHECKING:
    from veille.core.extract import Parsed
    from veille.core.extract._walk import Page

_COMMENT = 1 << HINTS.index("comment")


class Density(Strategy):
    """The block model: what people would keep of the page, for the best expected F1."""

    order: ClassVar[int | None] = 20

    def find(self, parsed: Parsed) -> Candidate | None:
        page = parsed.page
        if not page.blocks:
            return None
        rows = features(page, parsed.facts)
        words = rows.values[rows.names.index("words")]
        keep, quality = choose(likelihood(rows, len(words)), words)
        kept = keep.tolist()
        return Candidate(
            text=render(page, kept),
            quality=quality,
            make_html=lambda: html_of_blocks(parsed, kept),
            reasons=(f"{sum(kept)} of {len(kept)} blocks",),
            comments=_comments(page, kept),
        )


def _comments(page: Page, kept: list[bool]) -> str:
    """The blocks in comment sections that are not content themselves (in a forum they are)."""
    if not any(row[2] & _COMMENT for row in page.boxes):
        return ""
    inside = [False] * (len(page.boxes) + 1)
    for number, row in enumerate(page.boxes):
        inside[number] = inside[row[0]] or bool(row[2] & _COMMENT)
    return render(page, [inside[block[0]] and not chosen for block, chosen in zip(page.blocks, kept, strict=True)])
