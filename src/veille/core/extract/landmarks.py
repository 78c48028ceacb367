"""Landmarks: the first well-known content element with enough text, in a fixed order (K's selector list)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from veille.core.extract import Candidate, Strategy
from veille.core.extract._html import html_of_node
from veille.core.extract._render import render
from veille.core.extract._walk import walk

if TYPE_CHECKING:
    from veille.core.extract import Parsed

SELECTORS: Final = (
    "article",
    "main",
    '[role="main"]',
    ".post-content",
    ".entry-content",
    ".article-content",
    "#content",
)
MIN_CHARS: Final = 500


class Landmarks(Strategy):
    """Takes the page's own word for where its content is."""

    order: ClassVar[int | None] = 40

    def find(self, parsed: Parsed) -> Candidate | None:
        for selector in (*SELECTORS, *parsed.options.selectors):
            node = parsed.tree.css_first(selector)
            if node is None:
                continue
            page = walk(node)
            text = render(page, [True] * len(page.blocks))
            if len(text) >= MIN_CHARS:
                return Candidate(
                    text=text,
                    quality=0.6,
                    make_html=lambda node=node: html_of_node(node, parsed.url),  # type: ignore[misc]
                    reasons=(f"matched {selector}",),
                )
        return None
