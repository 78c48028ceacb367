"""Density: each block of text is classified by its words, its boxes, its neighbours and the kind of page."""

from __future__ import annotations

from typing import ClassVar

from veille.core.extract import Candidate, Page, Strategy
from veille.core.extract.judge.features import features
from veille.core.extract.judge.furniture import without_furniture
from veille.core.extract.judge.model import choose, likelihood
from veille.core.extract.judge.quality import kept_share
from veille.core.extract.output.render import render
from veille.core.extract.tree.walk import FlatTree
from veille.core.extract.tree.words import HINTS

_COMMENT = 1 << HINTS.index("comment")


class Density(Strategy):
    """The block model: the blocks to keep for the best expected F1."""

    order: ClassVar[int] = 20

    def candidate(self, page: Page) -> Candidate | None:
        reading = page.reading
        if not reading.blocks:
            return None
        columns = features(reading, page.facts, page.announced)
        keep, score = choose(likelihood(columns), columns.words)
        chosen = without_furniture(reading, columns, keep, page.article_type, is_manual=page.may_be_manual)
        kept = chosen.tolist()
        text = render(reading, kept)
        if len(text) < page.options.min_chars:
            return None
        return Candidate(
            text=text,
            score=score,
            make_markup=lambda: page.markup(kept),
            reasons=(f"{sum(kept)} of {len(kept)} blocks",),
            make_comments=lambda: _comments(reading, kept),
            find_share=lambda: kept_share(reading, columns, chosen),
        )


def _comments(reading: FlatTree, kept: list[bool]) -> str:
    """The blocks in comment sections that are not content (in a forum they are content)."""
    inside = [False] * (len(reading.boxes) + 1)
    for number, row in enumerate(reading.boxes):
        inside[number] = inside[row[0]] or bool(row[2] & _COMMENT)
    chosen = zip(reading.blocks, kept, strict=True)
    return render(reading, [inside[block[0]] and not taken for block, taken in chosen])
