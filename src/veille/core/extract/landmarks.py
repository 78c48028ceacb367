"""Landmarks: the first well-known content element with enough text, in a fixed order (K's selector list)."""

from __future__ import annotations

from typing import ClassVar, Final

from veille.core.extract import Candidate, Page, Strategy

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
    """Trusts the page's own markup for where its content is."""

    order: ClassVar[int] = 40

    def candidate(self, page: Page) -> Candidate | None:
        for selector in SELECTORS:
            node = page.tree.css_first(selector)
            if node is not None and len(node.text(strip=True)) >= MIN_CHARS:
                return Candidate(nodes=(node,), score=0.5, reasons=(f"matched {selector}",))
        return None
