"""Readability: the reader view of browsers, reimplemented from its published behaviour, with its readerable test."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import ClassVar, Final

from veille.core.extract import Candidate, Page, Strategy
from veille.core.extract._head import article_head
from veille.core.extract.output.codelines import join_lines, keep_lines
from veille.core.extract.rules.grab import MAYBE, UNLIKELY, Grabber, shown
from veille.core.extract.tree.dom import Element, copy

#: Text required, else a more lenient attempt follows: Readability's own limit if forced, else the reader's (R-109).
_FORCED_CHARS, _READER_CHARS = 500, 100
#: The readerable test: paragraphs count from this length on, and the sum of the square roots must exceed the score.
_MIN_LENGTH, _MIN_SCORE = 140, 20
_ITEMS: Final = frozenset({"li"})


class Readability(Strategy):
    """Scores paragraphs, adds their points to the boxes around them, and cleans the content of the best box."""

    order: ClassVar[int] = 50

    def candidate(self, page: Page) -> Candidate | None:
        mode = page.options.mode
        if mode != "readability" and not readerable(copy(page.root)):
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


def readerable(top: Element) -> bool:
    """Whether the page is probably worth a reader view."""
    score = 0.0
    for element in top.walk():
        if element.tag in ("p", "pre", "article") or (element.tag == "div" and _has_break(element)):
            score += _worth(element)
            if score > _MIN_SCORE:
                return True
    return False


def _worth(element: Element) -> float:
    if not shown(element) or (UNLIKELY.search(element.name) and not MAYBE.search(element.name)):
        return 0.0
    if element.tag == "p" and element.inside(_ITEMS):
        return 0.0
    return sqrt(max(len(element.text().strip()) - _MIN_LENGTH, 0))


def _has_break(element: Element) -> bool:
    return any(child.tag == "br" for child in element.elements())
