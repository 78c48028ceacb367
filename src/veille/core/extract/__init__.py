"""Main content of an HTML page: parsed once, offered to every strategy, the best-scored candidate wins."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from selectolax.lexbor import LexborHTMLParser, LexborNode

from veille.core.extract._metadata import Metadata, read_metadata
from veille.core.extract._render import inner_html, text_of
from veille.registry import load_all

PACKAGE = "veille.core.extract"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a source may ask of the extraction."""

    #: The name of the only strategy to use, or `auto` for the best of all.
    mode: str = "auto"
    min_chars: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A parsed page, as strategies see it. They must not change the tree."""

    tree: LexborHTMLParser
    base_url: str
    options: Options


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """What one strategy takes for the content, and how sure it is (0 to 1)."""

    nodes: tuple[LexborNode, ...]
    score: float
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """The content in the forms that are kept."""

    text: str
    html: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """The page's metadata, its content (None when there is none), and which strategy found it."""

    metadata: Metadata
    content: Content | None
    strategy: str | None
    quality: float
    reasons: tuple[str, ...] = ()


class Strategy(ABC):
    """One way to find the content. To add one, put one file into `core/extract`."""

    entry_points: ClassVar[str] = "veille.strategies"

    @abstractmethod
    def candidate(self, page: Page) -> Candidate | None:
        """What this strategy takes for the content, or None when it has nothing to say."""


def extract_page(html: bytes | str, base_url: str, options: Options = Options()) -> Extracted:  # noqa: B008 - frozen
    """The content and metadata of a page. Pure: the same bytes give the same result."""
    tree = LexborHTMLParser(html)
    metadata = read_metadata(tree, base_url)
    page = Page(tree=tree, base_url=base_url, options=options)
    for name, candidate in _ranked(page):
        text = "\n\n".join(filter(None, map(text_of, candidate.nodes)))
        if text:
            content = Content(text=text, html="".join(map(inner_html, candidate.nodes)))
            return Extracted(
                metadata=metadata, content=content, strategy=name, quality=candidate.score, reasons=candidate.reasons
            )
    return Extracted(metadata=metadata, content=None, strategy=None, quality=0.0)


def _ranked(page: Page) -> list[tuple[str, Candidate]]:
    chosen = page.options.mode
    found = []
    for name, strategy in load_all(PACKAGE, Strategy).items():
        if chosen in {"auto", name} and (candidate := strategy().candidate(page)) is not None:
            found.append((name, candidate))
    return sorted(found, key=lambda pair: -pair[1].score)
