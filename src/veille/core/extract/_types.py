"""What extraction takes and gives: options, metadata, content."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple, get_args

from veille.core.extract.judge.announced import Apart
from veille.core.extract.output.html import clean_html
from veille.core.extract.output.markdown import to_markdown
from veille.core.pick.part import PagePart
from veille.core.values.value import Value
from veille.core.values.wishes import ValueWish
from veille.errors import ConfigError


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to extract. `mode` is a strategy's name, `auto`, `reader` (readability, then landmarks), `css` or `xpath`."""

    mode: str = "auto"
    #: CSS selectors, or XPath 1.0 expressions in mode `xpath`; in mode `auto` they are tried first, as CSS, and in mode
    #: `reader` last, after those of `landmarks`.
    selectors: tuple[str, ...] = ()
    #: The parts that a user pointed at: with any, nothing else is read. And those that are not to be read.
    parts: tuple[PagePart, ...] = ()
    without: tuple[PagePart, ...] = ()
    #: What is to be in the text too, where the block model reads it.
    with_parts: tuple[Apart, ...] = ()
    #: A result with less text than this counts as none; in mode `reader`, one of a selector. Default: 500 there, else
    #: 50, but what the user's selectors find counts from its first sign on.
    min_chars: int = -1
    #: The charset of the Content-Type header; used for bytes only.
    charset: str = ""
    max_bytes: int = 5_000_000
    #: The values to read by selectors, by name.
    values: Mapping[str, ValueWish] = field(default_factory=dict)
    #: Whether price and availability of the page's product are read, too.
    offers: bool = True

    def __post_init__(self) -> None:
        for name in self.with_parts:
            if name not in get_args(Apart):
                known = ", ".join(get_args(Apart))
                raise ConfigError(f"There is no part {name[:100]!r} of a page; there are: {known}.", code="bad_option")
        if self.min_chars < 0:
            object.__setattr__(self, "min_chars", 500 if self.mode == "reader" else 1 if self.selectors else 50)


class PageLink(NamedTuple):
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
    #: The links to other sites with their texts, without those to addresses that start with the first; and how many
    #: more there are. The second tells of an address whether it leads to another site.
    find_outgoing: Callable[[str, Callable[[str], bool]], tuple[list[dict[str, str]], int]] = field(
        default=lambda _, __: ([], 0), repr=False, compare=False
    )

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
    values: tuple[Value, ...] = ()
