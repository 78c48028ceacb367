"""A page made for reading: the result other programs rely on, whatever happened on the way."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from veille.core.extract import Extracted, Options, extract_page
from veille.core.images import Signer, rewrite_images, unsigned
from veille.core.models import Failure, Payload

NOTHING_FOUND = "No content could be extracted"
UNTITLED = "Untitled"

#: What readers of this result call our strategies.
_STRATEGIES = {"readability": "readability", "landmarks": "selector"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PageMetadata:
    """What a page says about itself; the title is always there."""

    title: str
    description: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderContent:
    """The content of a page, sanitised, with its images led through the proxy."""

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
    """Readable exactly when there is content; metadata is missing only when the page could not be had or read."""

    readable: bool
    metadata: PageMetadata | None
    content: ReaderContent | None
    strategy: str | None
    error: str | None

    def as_json(self) -> dict[str, Any]:
        """The result under the names its first users know: camelCase."""
        return {
            "readable": self.readable,
            "metadata": _camel(self.metadata),
            "content": _camel(self.content),
            "strategy": self.strategy,
            "error": self.error,
        }


def read_page(payload: Payload, sign: Signer = unsigned) -> ReaderResult:
    """The result for a page that was fetched. Raises ReadError when it cannot be read at all."""
    options = Options(mode="reader", charset=payload.charset)
    extracted = extract_page(payload.body, payload.final_url, options)
    metadata = PageMetadata(
        title=extracted.metadata.title or UNTITLED, description=extracted.metadata.description or None
    )
    content = _content(extracted, metadata, payload.final_url, sign)
    return ReaderResult(
        readable=content is not None,
        metadata=metadata,
        content=content,
        strategy=_STRATEGIES.get(extracted.strategy or "") if content else None,
        error=None if content else NOTHING_FOUND,
    )


def not_read(error: str) -> ReaderResult:
    """The result for a page that could not be had or read."""
    return ReaderResult(readable=False, metadata=None, content=None, strategy=None, error=error)


def message_of(failure: Failure) -> str:
    """A failure in the words the result has for it."""
    if failure.status:
        return f"HTTP {failure.status}"
    return "Request timed out" if failure.code in {"timeout", "too_slow"} else failure.message


def _content(extracted: Extracted, metadata: PageMetadata, url: str, sign: Signer) -> ReaderContent | None:
    found = extracted.content
    if found is None:
        return None
    return ReaderContent(
        title=metadata.title,
        content=rewrite_images(found.html, url, sign),
        text_content=found.text,
        excerpt=found.excerpt or None,
        byline=", ".join(extracted.metadata.authors) or None,
        site_name=extracted.metadata.site_name or None,
        word_count=found.word_count,
        reading_time_minutes=found.reading_minutes,
    )


def _camel(value: PageMetadata | ReaderContent | None) -> dict[str, Any] | None:
    if value is None:
        return None
    return {_camel_name(field.name): getattr(value, field.name) for field in fields(value)}


def _camel_name(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(map(str.capitalize, rest))
