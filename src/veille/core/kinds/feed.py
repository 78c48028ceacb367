"""An RSS or Atom feed: every entry is a document, read from the feed itself or from the page it links to."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from veille.core.extract import Options
from veille.core.extract._render import fragment_text
from veille.core.feeds import Entry, parse_feed
from veille.core.fingerprint import content_hash, guid_identity, url_identity
from veille.core.kinds import Kind, KindConfig
from veille.core.kinds.page import document_of
from veille.core.models import Document, Json, Payload, Request, Source
from veille.core.text import flat, tidy
from veille.core.urls import join

ENTRY = "entry"


class FeedConfig(KindConfig):
    """Options of a feed source."""

    max_entries: int = Field(50, gt=0, le=10_000, description="Entries taken from one answer, from the top.")
    follow_links: bool = Field(default=False, description="Read each entry from its page instead of from the feed.")


class FeedKind(Kind):
    """A feed gives one document per entry."""

    Config = FeedConfig

    def read(self, source: Source, request: Request, payload: Payload) -> Iterator[Document | Request]:
        if request.purpose == ENTRY:
            yield _followed(request, payload)
            return
        assert isinstance(self.config, FeedConfig)  # noqa: S101 - made by kind_of
        for entry in parse_feed(payload.body).entries[: self.config.max_entries]:
            link = join(payload.final_url, entry.link) if entry.link else None
            document = _document(source, entry, link or payload.final_url)
            if link and self.config.follow_links:
                yield self.request(source, link, ENTRY, stamp=_stamp(document), context=_context(document))
            else:
                yield document


def _document(source: Source, entry: Entry, url: str) -> Document:
    text = fragment_text(entry.content or entry.summary)
    title = flat(fragment_text(entry.title))
    # A publisher's id names the entry here; its address is what other sources may know it by.
    guid = entry.guid or f"{entry.title}\n{entry.published_at}"
    return Document(
        keys=(guid_identity(source.id, guid), *((url_identity(url),) if entry.link else ())),
        url=url,
        title=title,
        text=tidy(text) or title,
        html=entry.content or entry.summary,
        authors=entry.authors,
        summary=flat(fragment_text(entry.summary))[:1000],
        published_at=entry.published_at,
        modified_at=entry.updated_at,
        strategy="feed",
        content_hash=content_hash(text or title),
    )


def _stamp(document: Document) -> str:
    return f"{document.content_hash}:{document.title}:{document.modified_at or document.published_at or ''}"


def _context(document: Document) -> Json:
    return {
        "keys": list(document.keys),
        "title": document.title,
        "text": document.text,
        "authors": list(document.authors),
        "summary": document.summary,
        "published_at": document.published_at,
    }


def _followed(request: Request, payload: Payload) -> Document:
    """The page of an entry; what the page does not say, or does not have, comes from the feed."""
    context = request.context
    page = document_of(request, payload, Options(charset=payload.charset))
    text = page.text or str(context["text"])
    return Document(
        keys=tuple(context["keys"]),
        url=page.url,
        title=str(context["title"]) or page.title,
        text=text,
        html=page.html,
        lang=page.lang,
        authors=page.authors or tuple(context["authors"]),
        summary=page.summary or str(context["summary"]),
        published_at=page.published_at or context["published_at"],
        modified_at=page.modified_at,
        media_type=page.media_type,
        strategy=page.strategy if page.text else "feed",
        quality=page.quality,
        meta=page.meta,
        content_hash=page.content_hash if page.text else content_hash(text),
    )
