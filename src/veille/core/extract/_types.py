"""Input and output types of extraction, the page that all strategies share, and the base class of strategies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Any, ClassVar, Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from veille.core.extract.judge.announced import Announced, Apart, announced_of
from veille.core.extract.output.html import Base, clean_html
from veille.core.extract.output.markdown import to_markdown
from veille.core.extract.output.markup import markup
from veille.core.extract.output.render import fragment_text
from veille.core.extract.tree.find import Found, Link, find, links
from veille.core.extract.tree.page_data import jsonld, microdata
from veille.core.extract.tree.pagetype import article_type, og_type, page_facts, schema_types
from veille.core.extract.tree.permalinks import without_permalinks
from veille.core.extract.tree.walk import FlatTree, has_code, walk
from veille.core.http.charset import decoded, encoding_of, label

Attributes = dict[str, str | None]

#: Elements that describe the page rather than hold its content.
_MARKED: Final = (
    ("base", "href", "", True),
    ("meta", "", "", True),
    ("link", "", "", True),
    ("script", "type", "application/ld+json", True),
    ("time", "datetime", "", True),
    ("h1", "", "", True),
)
#: Attributes and the words in them that `Page.notes` can test, so that searches without a hit are skipped.
_NOTED: Final = (
    ("itemscope", ""),
    ("rel", "author"),
    ("itemprop", "author"),
    ("class", "byline"),
    ("id", "byline"),
    ("class", "author"),
)
_META: Final = (("title", "", "", True), ("meta", "content", "", True))
#: Names of `meta` elements: a title, and summaries.
_SAID: Final = ("og:title", "description", "og:description")
#: With less visible text than this, hidden text is read too: the page probably needs a script to show it.
_BARE_CHARS: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to extract. `mode` is a strategy's name, `auto`, `reader` (readability, then landmarks), `css` or `xpath`."""

    mode: str = "auto"
    #: CSS selectors, or XPath 1.0 expressions in mode `xpath`; in mode `auto` they are tried first, as CSS, and in mode
    #: `reader` last, after those of `landmarks`.
    selectors: tuple[str, ...] = ()
    #: What is to be in the text too, where the block model reads it.
    with_parts: tuple[Apart, ...] = ()
    #: A result with less text than this counts as none; in mode `reader`, one of a selector. Default: 50, there 500.
    min_chars: int = -1
    #: The charset of the Content-Type header; used for bytes only.
    charset: str = ""
    max_bytes: int = 5_000_000

    def __post_init__(self) -> None:
        if self.min_chars < 0:
            object.__setattr__(self, "min_chars", 500 if self.mode == "reader" else 50)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLink:
    """A link of the page: absolute address, text, and the words of `rel`."""

    url: str
    text: str = ""
    rel: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFeed:
    """A feed that the page links to: absolute address, title and media type."""

    url: str
    title: str = ""
    media_type: str = ""


#: The title of a page that has none.
UNTITLED: Final = "Untitled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """The metadata of a page. Times are milliseconds since 1970, UTC."""

    title: str = UNTITLED
    description: str = ""
    authors: tuple[str, ...] = ()
    site_name: str = ""
    lang: str = ""
    published_at: int | None = None
    modified_at: int | None = None
    #: Where the publication date was found: json-ld, microdata, meta, time, text or url.
    date_origin: str = ""
    canonical_url: str = ""
    section: str = ""
    tags: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    feeds: tuple[PageFeed, ...] = ()
    robots: str = ""
    article_type: str = ""
    category_guess: str = "other"
    #: The links of the page, without those to addresses that start with this, unless it is empty.
    find_links: Callable[[str], tuple[PageLink, ...]] = field(default=lambda _: (), repr=False, compare=False)

    @property
    def links(self) -> tuple[PageLink, ...]:
        """Every link of the page once, in order; computed on access."""
        return self.find_links("")


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleHead:
    """What reader mode says about its content; empty where the page says nothing."""

    title: str
    excerpt: str
    byline: str = ""
    site_name: str = ""


@dataclass(frozen=True, kw_only=True)
class Content:
    """The main content. HTML, Markdown and parts beside the text are built on first access."""

    url: str
    text: str
    word_count: int
    reading_minutes: int
    excerpt: str
    #: In mode `reader` only.
    head: ArticleHead | None = None
    make_markup: Callable[[], str] = field(repr=False, compare=False)
    make_parts: Callable[[], dict[str, str]] = field(default=dict, repr=False, compare=False)
    find_beside: Callable[[], list[str]] = field(default=list, repr=False, compare=False)

    @cached_property
    def markup(self) -> str:
        """The content in its original elements, with absolute links: for storage; sanitise it before display."""
        return self.make_markup()

    @cached_property
    def html(self) -> str:
        """Sanitised HTML with absolute links; in mode `reader`, elements keep their classes."""
        return clean_html(self.markup, self.url, classes=self.head is not None)

    @cached_property
    def markdown(self) -> str:
        """The same as Markdown."""
        return to_markdown(self.html)

    @property
    def beside(self) -> list[str]:
        """The lines of the page that are not in the text; empty if the content was chosen by selectors."""
        return self.find_beside()

    @cached_property
    def parts(self) -> dict[str, str]:
        """What belongs to the text and is not in it: `headline`, `byline`, `captions`, `related`, `comments`.

        Only what there is, and nothing for content that was chosen by selectors.
        """
        return self.make_parts()

    @property
    def comments(self) -> str:
        """Readers' comments below the content, unless they are the content themselves."""
        return self.parts.get("comments", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """The full result for one page; without content, `strategy` is None and `reasons` say why."""

    metadata: Metadata
    content: Content | None
    strategy: str | None
    #: How sure the strategy is, 0 to 1.
    score: float
    #: The share of the main container's words in the text, 0 to 1; None if it cannot be told, or a user chose the part.
    quality: float | None = None
    reasons: tuple[str, ...] = ()


def _utf8(data: bytes, charset: str) -> bytes:
    """The same text in UTF-8; bytes that are UTF-8 already go to the parser untouched."""
    if encoding_of(data, label(charset)) == "utf-8":
        return data
    return decoded(data, label(charset))[0].encode("utf-8", "replace")


def _has_text(reading: FlatTree, least: int) -> bool:
    """Whether it has at least so many characters; most pages have them in their first lines."""
    return any(size >= least for size in accumulate(len(block[1]) for block in reading.blocks))


class Page:
    """A parsed page; everything derived from the tree is built when first needed and cached."""

    def __init__(self, html: bytes | str, url: str, options: Options) -> None:
        self.data = html.encode("utf-8", "replace") if isinstance(html, str) else _utf8(html, options.charset)
        self.url = url
        self.options = options
        #: Whether `reading` includes hidden elements.
        self.everything = False

    @cached_property
    def source(self) -> bytes:
        """The bytes that are parsed."""
        return without_permalinks(self.data)

    @cached_property
    def tree(self) -> LexborHTMLParser:
        return LexborHTMLParser(self.source, is_fragment=False)

    @cached_property
    def root(self) -> LexborNode:
        found = self.tree.body or self.tree.root
        # A tree always has a root, even for empty input; the library's type does not say so.
        assert found is not None  # noqa: S101
        return found

    @cached_property
    def reading(self) -> FlatTree:
        found = walk(self.root)
        if not _has_text(found, _BARE_CHARS):
            everything = walk(self.root, everything=True)
            if _has_text(everything, _BARE_CHARS + 1):
                self.everything = True
                return everything
        return found

    def markup(self, kept: Sequence[bool]) -> str:
        """The kept blocks of `reading` as markup."""
        return markup(self.root, kept, self.base, everything=self.everything)

    @cached_property
    def _survey(self) -> tuple[list[Found], list[tuple[str, str]]]:
        root = self.tree.root
        return find(root, _MARKED, _NOTED) if root is not None else ([], [])

    @cached_property
    def marked(self) -> dict[str, list[tuple[Attributes, str]]]:
        """The elements that describe the page, by name: their attributes and text."""
        found: dict[str, list[tuple[Attributes, str]]] = {name: [] for name, *_ in _MARKED}
        for tag, attributes, text in self._survey[0]:
            found[tag].append((attributes, text))
        return found

    def notes(self, *pairs: tuple[str, str]) -> bool:
        """Whether any element has one of these attributes with the given word in it."""
        return any(pair in self._survey[1] for pair in pairs)

    def links(self, beyond: str) -> list[Link]:
        """Its links, without those that certainly lead to an address that starts with `beyond`, unless it is empty."""
        root = self.tree.root
        rooted = bool(beyond) and f"{self.base.origin}/" == beyond
        return links(root, beyond, rooted=rooted) if root is not None else []

    @cached_property
    def items(self) -> list[dict[str, Any]]:
        """The page's structured data: its JSON-LD, then its microdata."""
        found = jsonld(text for _, text in self.marked["script"])
        return found + microdata(self.tree) if self.notes(("itemscope", "")) else found

    @cached_property
    def base(self) -> Base:
        """The base address of its links."""
        stated = next((attributes.get("href") or "" for attributes, _ in self.marked["base"]), "")
        return Base(Base(self.url).absolute(stated) or self.url)

    @cached_property
    def _named_types(self) -> tuple[set[bytes], str]:
        """Every schema.org type named in its JSON, and its OpenGraph type."""
        return schema_types(self.data), og_type(self.data)

    @cached_property
    def article_type(self) -> str:
        """Its type, guessed; empty if unknown."""
        return article_type(*self._named_types, self.url)

    @cached_property
    def may_be_manual(self) -> bool:
        """Whether it is documentation, or a plain page that says nothing about its type, as manuals do."""
        types, kind = self._named_types
        if self.article_type or types:
            return self.article_type == "documentation"
        return not kind or (kind == "website" and has_code(self.reading))

    @cached_property
    def facts(self) -> tuple[float, ...]:
        return page_facts(*self._named_types, self.url)

    @cached_property
    def announced(self) -> Announced:
        """What it says of its text in its head."""
        said: dict[str, str] = {}
        head, title = self.tree.head, ""
        for tag, attributes, text in find(head, _META)[0] if head is not None else ():
            if tag == "title":
                title = title or text
                continue
            name = attributes.get("property") or attributes.get("name") or ""
            if name in _SAID:
                said.setdefault(name, attributes.get("content") or "")
        titles, summaries = (title, said.get("og:title", "")), (said.get(name, "") for name in _SAID[1:])
        return announced_of(titles, summaries)

    @cached_property
    def title(self) -> str:
        """The text of `title`."""
        head = self.tree.head
        node = head.css_first("title") if head is not None else None
        return " ".join((node.text() or "").split()) if node is not None else ""


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
