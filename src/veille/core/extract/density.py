"""Density: each block of text is classified by its words, its boxes, its neighbours and the kind of page."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from veille.core.extract import Candidate, Page, Strategy
from veille.core.extract.judge.features import Array, features
from veille.core.extract.judge.furniture import without_furniture
from veille.core.extract.judge.model import choose, likelihood
from veille.core.extract.judge.parts import parts_of, without_byline
from veille.core.extract.judge.quality import kept_share
from veille.core.extract.output.render import render
from veille.core.extract.tree.walk import FlatTree


class Density(Strategy):
    """The block model: the blocks to keep for the best expected F1."""

    order: ClassVar[int] = 20

    def candidate(self, page: Page) -> Candidate | None:
        reading = page.reading
        if not reading.count:
            return None
        columns = features(reading, page.facts, page.announced)
        keep, score = choose(likelihood(columns), columns.words)
        chosen = without_furniture(reading, columns, keep, page.article_type, is_manual=page.may_be_manual)
        if page.article_type == "article":
            chosen = without_byline(reading, columns, page.announced, chosen)
        if page.options.with_parts:
            parts = parts_of(reading, columns, page.announced)
            chosen = np.logical_or.reduce([chosen, *(parts[name] for name in page.options.with_parts)])
        kept = chosen.tolist()
        text = render(reading, kept)
        if len(text) < page.options.min_chars:
            return None
        return Candidate(
            text=text,
            score=score,
            make_markup=lambda: page.markup(kept),
            reasons=(f"{sum(kept)} of {len(kept)} blocks",),
            make_parts=lambda: _parts(reading, parts_of(reading, columns, page.announced), chosen),
            find_share=lambda: kept_share(reading, columns, chosen),
        )


def _parts(reading: FlatTree, parts: dict[str, Array], chosen: Array) -> dict[str, str]:
    """The text of each part that is not in the text already: in a forum, what are elsewhere comments is content."""
    texts = {name: render(reading, (blocks & ~chosen).tolist()) for name, blocks in parts.items()}
    return {name: text for name, text in texts.items() if text}
