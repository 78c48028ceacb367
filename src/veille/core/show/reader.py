"""A fetched page prepared for reading: a stable contract for other programs, also in case of failure."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from veille.core.show.images import Signer, rewrite_images
from veille.core.traffic import Payload

if TYPE_CHECKING:
    from veille.core.extract import Extracted

NOTHING_FOUND = "No content could be extracted"
#: Our strategies' names in this result.
_STRATEGIES = {"readability": "readability", "landmarks": "selector"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderOptions:
    """How a page without an article is read."""

    #: CSS selectors of the content, tried after the well-known ones.
    selectors: tuple[str, ...] = ()
    #: What a selector finds counts from this many characters on.
    min_content_length: int = 500
    #: Whether to find also what belongs to an article and is not in its text. Such a result is not cached.
    parts: bool = False


USUAL: Final = ReaderOptions()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageMetadata:
    """The metadata of a page; the title is always there."""

    title: str
    description: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderContent:
    """The content of a page, sanitised, with its images sent through the proxy."""

    title: str
    content: str
    text_content: str
    excerpt: str | None
    byline: str | None
    site_name: str | None
    word_count: int
    reading_time_minutes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderResult:
    """Readable exactly if there is content; metadata is missing only if the page could not be fetched or read."""

    readable: bool
    metadata: PageMetadata | None
    content: ReaderContent | None
    strategy: str | None
    error: str | None
    #: Headline, byline, captions, related and comments, as far as there are any; None if nobody asked.
    parts: dict[str, str] | None = None

    def as_json(self) -> dict[str, Any]:
        """The result under the names that its first users know: camelCase."""
        said = {name: _camel(value) for name, value in asdict(self).items()}
        return said if self.parts is not None else {name: value for name, value in said.items() if name != "parts"}


def not_read(error: str) -> ReaderResult:
    """The result for a page that could not be fetched or read."""
    return ReaderResult(readable=False, metadata=None, content=None, strategy=None, error=error)


def read_page(payload: Payload, sign: Signer, options: ReaderOptions = USUAL) -> ReaderResult:
    """The result for a fetched page. Raises ReadError if it cannot be read at all."""
    from veille.core.extract import Options, extract_page  # noqa: PLC0415 - slow to import

    how = Options(
        mode="reader", selectors=options.selectors, min_chars=options.min_content_length, charset=payload.charset
    )
    extracted = extract_page(payload.body, payload.final_url, how)
    metadata = PageMetadata(title=extracted.metadata.title, description=extracted.metadata.description or None)
    content = _content(extracted, payload.final_url, sign)
    return ReaderResult(
        readable=content is not None,
        metadata=metadata,
        content=content,
        strategy=_STRATEGIES.get(extracted.strategy or "") if content else None,
        error=None if content else NOTHING_FOUND,
        parts=_parts(payload) if options.parts else None,
    )


def _parts(payload: Payload) -> dict[str, str]:
    """The parts beside the text. Reader mode keeps or drops them as Readability does; mode `auto` tells them apart."""
    from veille.core.extract import Options, extract_page  # noqa: PLC0415 - slow to import

    content = extract_page(payload.body, payload.final_url, Options(charset=payload.charset)).content
    return content.parts if content else {}


def _content(extracted: Extracted, url: str, sign: Signer) -> ReaderContent | None:
    from veille.core.extract import ArticleHead  # noqa: PLC0415 - slow to import

    found, about = extracted.content, extracted.metadata
    if found is None:
        return None
    # Without a head, the page was too large or hostile, and only its text was read.
    head = found.head or ArticleHead(title=about.title, excerpt=found.excerpt)
    return ReaderContent(
        title=head.title,
        content=rewrite_images(found.html, url, sign),
        text_content=found.text,
        excerpt=head.excerpt or None,
        byline=head.byline or None,
        site_name=head.site_name or None,
        word_count=found.word_count,
        reading_time_minutes=found.reading_minutes,
    )


def _camel(value: Any) -> Any:
    return {_camel_name(name): inner for name, inner in value.items()} if isinstance(value, dict) else value


def _camel_name(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(map(str.capitalize, rest))
