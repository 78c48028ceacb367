"""Readability: the reader view of browsers, reimplemented from its published behaviour, with its readerable test."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import ClassVar

from selectolax.lexbor import LexborNode

from veille.core.extract import Candidate, Page, Strategy
from veille.core.extract._head import article_head
from veille.core.extract.output.codelines import join_lines, keep_lines
from veille.core.extract.rules.grab import MAYBE, UNLIKELY, Grabber, shown
from veille.core.extract.tree.dom import Element, copy

#: Text required, else a more lenient attempt follows: Readability's own limit if forced, else the reader's (R-109).
_FORCED_CHARS, _READER_CHARS = 500, 100
#: The readerable test: paragraphs count from this length on, and the sum of the square roots must exceed the score.
_MIN_LENGTH, _MIN_SCORE = 140, 20


class Readability(Strategy):
    """Scores paragraphs, adds their points to the boxes around them, and cleans the content of the best box."""

    order: ClassVar[int] = 50

    def candidate(self, page: Page) -> Candidate | None:
        mode = page.options.mode
        if mode != "readability" and not readerable(page.root):
            return None
        is_reader = mode == "reader"
        head = article_head(page)
        # Without a title there is no article in reader mode.
        if is_reader and not head.title:
            return None
        grabber = Grabber(
            lambda: join_lines(copy(page.root)) if is_reader else copy(page.root),
            head.title,
            _FORCED_CHARS if mode == "readability" else _READER_CHARS,
            head.byline,
        )
        article = grabber.grab()
        if article is None:
            return None
        if is_reader:
            first = next((inner.text().strip() for inner in article.walk() if inner.tag == "p"), "")
            head = replace(head, excerpt=head.excerpt or first, byline=grabber.byline)
            return Candidate.for_reader(article.html(), page, 0.75, head, "readerable")
        keep_lines(article)
        return Candidate.of_html(article.html(), page, 0.75, "forced" if mode == "readability" else "readerable")


def readerable(root: LexborNode) -> bool:
    """Whether the page is probably worth a reader view. As in Readability, scripts within a paragraph count as text."""
    score, seen = 0.0, set[int]()
    for node in root.css("p, pre, article, div > br"):
        block = node.parent if node.tag == "br" else node
        if block is None or block.mem_id in seen:
            continue
        seen.add(block.mem_id)
        score += _worth(block)
        if score > _MIN_SCORE:
            return True
    return False


def _worth(block: LexborNode) -> float:
    element = Element(block.tag or "", {key: value or "" for key, value in block.attributes.items()})
    if not shown(element) or (UNLIKELY.search(element.name) and not MAYBE.search(element.name)):
        return 0.0
    length = len(block.text().strip())
    return 0.0 if length <= _MIN_LENGTH or (block.tag == "p" and _in_item(block)) else sqrt(length - _MIN_LENGTH)


def _in_item(node: LexborNode) -> bool:
    above = node.parent
    while above is not None and above.tag != "li":
        above = above.parent
    return above is not None
