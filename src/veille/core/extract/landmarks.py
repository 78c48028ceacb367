"""The page says itself where its content is: `<article>`, `<main>` and the usual class names."""

from __future__ import annotations

from veille.core.extract import Candidate, Page, Strategy

SELECTORS = ("article", "main", '[role="main"]', ".post-content", ".entry-content", ".article-content", "#content")


class Landmarks(Strategy):
    """The first landmark with enough text."""

    def candidate(self, page: Page) -> Candidate | None:
        for selector in SELECTORS:
            node = page.tree.css_first(selector)
            if node is not None and len(node.text(strip=True)) >= page.options.min_chars:
                return Candidate(nodes=(node,), score=0.8, reasons=(f"matches {selector}",))
        return None
