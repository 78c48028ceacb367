"""The base class of strategies, and what a strategy proposes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from selectolax.lexbor import LexborNode

from veille.core.extract._page import Page
from veille.core.extract._types import ArticleHead
from veille.core.extract.output.html import clean_html
from veille.core.extract.output.render import fragment_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """The content that one strategy proposes, and its confidence: the F1 it expects, 0 to 1.

    `nodes` are enough; a strategy that keeps less than whole nodes gives the text and a function for the HTML.
    """

    score: float
    nodes: tuple[LexborNode, ...] = ()
    text: str = ""
    make_markup: Callable[[], str] = str
    make_parts: Callable[[], dict[str, str]] = dict
    reasons: tuple[str, ...] = ()
    #: The share of the main container's words that it has; the default compares numbers of words.
    find_share: Callable[[], float | None] | None = None
    #: In mode `reader` only.
    head: ArticleHead | None = None

    @classmethod
    def for_reader(cls, html: str, page: Page, score: float, head: ArticleHead, reason: str) -> Candidate | None:
        """The candidate of mode `reader`: elements keep their classes, and the text is plain; None without any."""
        clean = clean_html(html, page.base.address or page.url, classes=True)
        text = fragment_text(clean, plain=True)
        return cls(text=text, score=score, make_markup=lambda: clean, reasons=(reason,), head=head) if text else None

    @classmethod
    def of_html(cls, html: str, page: Page, score: float, *reasons: str) -> Candidate | None:
        """The candidate for HTML of any origin, which is sanitised; None if it has no text."""
        clean = clean_html(html, page.url)
        text = fragment_text(clean)
        return cls(text=text, score=score, make_markup=lambda: clean, reasons=reasons) if text else None


class Strategy(ABC):
    """One way to find the content of a page. To add one, add one module to `core/extract`."""

    entry_points: ClassVar[str] = "veille.strategies"
    #: In mode `auto`, cheap and reliable strategies run first; from 30 on they run only while no score is good.
    order: ClassVar[int] = 0

    @abstractmethod
    def candidate(self, page: Page) -> Candidate | None:
        """The content this strategy proposes, or None if it finds none. Must not change the tree."""
