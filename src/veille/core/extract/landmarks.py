"""Landmarks: the first well-known content element with enough text, in a fixed order (K's selector list)."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import ClassVar, Final

from selectolax.lexbor import LexborNode

from veille.core.extract import UNTITLED, ArticleHead, Candidate, Page, Strategy
from veille.core.extract._head import page_title
from veille.core.extract.output.codelines import join_lines
from veille.core.extract.readability import readerable
from veille.core.extract.rules.css import matches
from veille.core.extract.tree.dom import Element, copy
from veille.core.extract.tree.hidden import NEVER, least_text

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
_EXCERPT_CHARS: Final = 200


class Landmarks(Strategy):
    """Trusts the page's own markup for where its content is. In mode `reader`, the caller's selectors come last."""

    order: ClassVar[int] = 40

    def candidate(self, page: Page) -> Candidate | None:
        if page.options.mode == "reader":
            return _for_reader(page)
        for selector in SELECTORS:
            node = page.tree.css_first(selector)
            if node is not None and len(node.text(strip=True)) >= MIN_CHARS:
                return Candidate(nodes=(node,), score=0.5, reasons=(f"matched {selector}",))
        return None


def _for_reader(page: Page) -> Candidate | None:
    """The inner HTML of the first match with enough text; of one that has no title, "Untitled"."""
    for selector in (*SELECTORS, *page.options.selectors):
        found = matches(page.tree, selector)
        box = _shown(found[0]) if found else None
        if box is None or len(box.text().strip()) < page.options.min_chars:
            continue
        # The attempt of Readability, where there was one, has changed the lines of code in the page.
        inside = join_lines(box) if readerable(page.root) else box
        head = ArticleHead(title=page_title(page) or UNTITLED, excerpt="")
        candidate = Candidate.for_reader(_inner_html(inside), page, 0.5, head, f"matched {selector}")
        if candidate is not None:
            return replace(candidate, head=replace(head, excerpt=candidate.text[:_EXCERPT_CHARS]))
    return None


def _shown(node: LexborNode) -> Element:
    """A copy of an element without what it hides for good: the attributes that hide it are not kept."""
    box = copy(node)
    for element in box.walk():
        attributes: dict[str, str | None] = {**element.attributes}
        attributes.pop("aria-hidden", None)
        if least_text(attributes) == NEVER:
            element.remove()
    return box


def _inner_html(box: Element) -> str:
    return "".join(child.html() if isinstance(child, Element) else escape(child) for child in box.children)
