"""A fetched page prepared for reading."""

from __future__ import annotations

from veille.core.extract import Extracted, Options, extract_page
from veille.core.show.images import Signer, rewrite_images, unsigned
from veille.core.show.reader import PageMetadata, ReaderContent, ReaderResult
from veille.core.traffic import Payload

NOTHING_FOUND = "No content could be extracted"

#: Our strategies' names in this result.
_STRATEGIES = {"readability": "readability", "landmarks": "selector"}


def read_page(payload: Payload, sign: Signer = unsigned) -> ReaderResult:
    """The result for a fetched page. Raises ReadError if it cannot be read at all."""
    options = Options(mode="reader", charset=payload.charset)
    extracted = extract_page(payload.body, payload.final_url, options)
    metadata = PageMetadata(title=extracted.metadata.title, description=extracted.metadata.description or None)
    content = _content(extracted, payload.final_url, sign)
    return ReaderResult(
        readable=content is not None,
        metadata=metadata,
        content=content,
        strategy=_STRATEGIES.get(extracted.strategy or "") if content else None,
        error=None if content else NOTHING_FOUND,
    )


def _content(extracted: Extracted, url: str, sign: Signer) -> ReaderContent | None:
    found, about = extracted.content, extracted.metadata
    if found is None:
        return None
    # A selector finds a place in the page, not its author.
    is_article = extracted.strategy == "readability"
    first_paragraph = found.text.partition("\n\n")[0]
    return ReaderContent(
        title=about.title,
        content=rewrite_images(found.html, url, sign),
        text_content=found.text,
        excerpt=(about.description or first_paragraph if is_article else found.excerpt) or None,
        byline=(", ".join(about.authors) or None) if is_article else None,
        site_name=(about.site_name or None) if is_article else None,
        word_count=found.word_count,
        reading_time_minutes=found.reading_minutes,
    )
