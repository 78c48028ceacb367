"""One web page, watched for changes of its main content."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from veille.core.extract import Extracted, Options, extract_page
from veille.core.fingerprint import content_hash, url_identity
from veille.core.kinds import Kind, KindConfig
from veille.core.models import Document, Payload, Request, Source

PERMANENT = frozenset({301, 308})
UNTITLED = "Untitled"


class PageConfig(KindConfig):
    """Options of a page source."""

    mode: str = Field("auto", description="auto, css, xpath, reader, or the name of the one strategy to use.")
    selectors: tuple[str, ...] = Field((), description="CSS selectors of the content (XPath in mode xpath).")
    min_chars: int = Field(50, ge=1, description="Content with less text than this counts as none.")


class PageKind(Kind):
    """A page gives one document: itself."""

    Config = PageConfig

    def read(self, source: Source, request: Request, payload: Payload) -> Iterator[Document | Request]:
        del source
        assert isinstance(self.config, PageConfig)  # noqa: S101 - made by kind_of
        options = Options(
            mode=self.config.mode,
            selectors=self.config.selectors,
            min_chars=self.config.min_chars,
            charset=payload.charset,
        )
        yield page_document(extract_page(payload.body, payload.final_url, options), request, payload)


def page_document(extracted: Extracted, request: Request, payload: Payload) -> Document:
    """The document a fetched page is; also for pages that another kind followed."""
    meta = extracted.metadata
    text = extracted.content.text if extracted.content else ""
    return Document(
        keys=_keys(request, payload),
        url=payload.final_url,
        # Readers of a single page are told "Untitled"; a stored document has no title rather than a made-up one.
        title="" if meta.title == UNTITLED else meta.title,
        text=text,
        html=extracted.content.html if extracted.content else "",
        lang=meta.lang,
        authors=meta.authors,
        summary=meta.description,
        published_at=meta.published_at,
        modified_at=meta.modified_at,
        strategy=extracted.strategy or "",
        quality=extracted.quality,
        content_hash=content_hash(text),
    )


def _keys(request: Request, payload: Payload) -> tuple[str, ...]:
    # A temporary redirect (to a login page, to today's edition) says nothing about who the page is.
    moved = payload.redirects and all(status in PERMANENT for status, _ in payload.redirects)
    urls = (request.url, payload.final_url) if moved else (request.url,)
    return tuple(dict.fromkeys(map(url_identity, urls)))
