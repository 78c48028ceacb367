"""A fetched page made for reading."""

from __future__ import annotations

from veille.core.extract import Extracted, Options, extract_page
from veille.core.images import Signer, rewrite_images, unsigned
from veille.core.models import Payload
from veille.core.reader import PageMetadata, ReaderContent, ReaderResult

NOTHING_FOUND = "No content could be extracted"
UNTITLED = "Untitled"

#: What readers of this result call our strategies.
_STRATEGIES = {"readability": "readability", "landmarks": "selector"}


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
