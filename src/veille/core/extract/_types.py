"""The values extraction takes and gives, the parsed page all strategies share, and the base of a strategy."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Final

from selectolax.lexbor import LexborHTMLParser

from veille.core.extract._charset import to_utf8
from veille.core.extract._facts import page_facts
from veille.core.extract._walk import Page, walk

if TYPE_CHECKING:
    from collections.abc import Callable

    from selectolax.lexbor import LexborNode

#: Less visible text than this, and the hidden text is looked at too: the page waits for a script to show it.
_BARE_CHARS: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to extract. `mode` is a strategy's name, `auto`, `reader` (readability, then landmarks), `css` or `xpath`."""

    mode: str = "auto"
    #: CSS selectors, or XPath 1.0 expressions in mode `xpath`; in mode `auto` they are tried first, as CSS.
    selectors: tuple[str, ...] = ()
    #: A result with less text than this counts as none.
    min_chars: int = 50
    #: What the server said about the encoding; used for bytes only.
    charset: str = ""
    max_bytes: int = 5_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link as the page gives it: absolute address, text, and the words of `rel`."""

    url: str
    text: str = ""
    rel: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """A feed the page names: absolute address, title and media type."""

    url: str
    title: str = ""
    media_type: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """What the page says about itself. Times are milliseconds since 1970, UTC."""

    title: str = "Untitled"
    description: str | None = None
    authors: tuple[str, ...] = ()
    site_name: str | None = None
    lang: str = ""
    published_at: int | None = None
    modified_at: int | None = None
    #: Where the publication date was found: json-ld, meta, time or url.
    date_origin: str | None = None
    canonical_url: str | None = None
    section: str | None = None
    tags: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    feeds: tuple[Feed, ...] = ()
    robots: str = ""
    article_type: str = ""
    category_guess: str = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """The main content. HTML and Markdown are made when first asked for."""

    text: str
    word_count: int
    reading_minutes: int
    excerpt: str
    comments: str = ""
    make_html: Callable[[], str] = field(repr=False, compare=False)
    made: dict[str, str] = field(default_factory=dict, repr=False, compare=False)

    @property
    def html(self) -> str:
        """Sanitised HTML with absolute links."""
        if "html" not in self.made:
            self.made["html"] = self.make_html()
        return self.made["html"]

    @property
    def markdown(self) -> str:
        """The same as Markdown."""
        if "markdown" not in self.made:
            from veille.core.extract._markdown import to_markdown  # noqa: PLC0415 - only who asks pays for it

            self.made["markdown"] = to_markdown(self.html)
        return self.made["markdown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """Everything read from one page; without content, `strategy` is None and `reasons` say why."""

    metadata: Metadata
    content: Content | None
    strategy: str | None
    quality: float
    reasons: tuple[str, ...] = ()


class Parsed:
    """A page parsed once; everything derived from the tree is made when first needed and kept."""

    def __init__(self, html: bytes | str, url: str, options: Options) -> None:
        self.data = html.encode("utf-8", "replace") if isinstance(html, str) else to_utf8(html, options.charset)
        self.url = url
        self.options = options

    @cached_property
    def tree(self) -> LexborHTMLParser:
        return LexborHTMLParser(self.data, is_fragment=False)

    @cached_property
    def root(self) -> LexborNode:
        found = self.tree.body or self.tree.root
        return found if found is not None else LexborHTMLParser(b"<body></body>").root  # type: ignore[return-value]

    @cached_property
    def page(self) -> Page:
        page = walk(self.root)
        if sum(len(block[1]) for block in page.blocks) < _BARE_CHARS:
            everything = walk(self.root, everything=True)
            if sum(len(block[1]) for block in everything.blocks) > _BARE_CHARS:
                return everything
        return page

    @cached_property
    def facts(self) -> tuple[float, ...]:
        return page_facts(self.data, self.url)

    @cached_property
    def title(self) -> str:
        """The text of `title`."""
        head = self.tree.head
        node = head.css_first("title") if head is not None else None
        return " ".join((node.text_content or "").split()) if node is not None else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """What one strategy found, and how sure it is."""

    text: str
    quality: float
    make_html: Callable[[], str]
    reasons: tuple[str, ...] = ()
    comments: str = ""


class Strategy(ABC):
    """One way to find the content of a parsed page. The file's name is the strategy's name."""

    #: In mode `auto`, strategies are asked in this order until one is sure enough; None means only by name.
    order: ClassVar[int | None] = None

    @abstractmethod
    def find(self, parsed: Parsed) -> Candidate | None:
        """The content, or None when this way finds none."""
