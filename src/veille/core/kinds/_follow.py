"""Following an entry of a listing to its page: what the listing said goes along and fills in what the page lacks."""

from __future__ import annotations

from veille.core.extract import Options
from veille.core.fingerprint import content_hash
from veille.core.kinds.page import document_of
from veille.core.models import Document, Json, Request
from veille.core.traffic import Payload


def stamp_of(document: Document) -> str:
    """Differs when the listing says that there is something new."""
    return f"{document.content_hash}:{document.title}:{document.modified_at or document.published_at or ''}"


def context_of(document: Document) -> Json:
    """What the listing said, to go with the request for the page."""
    return {
        "keys": list(document.keys),
        "title": document.title,
        "text": document.text,
        "authors": list(document.authors),
        "summary": document.summary,
        "published_at": document.published_at,
        "lang": document.lang,
        "meta": document.meta,
        "strategy": document.strategy,
    }


def followed(request: Request, payload: Payload) -> Document:
    """The page of an entry; what the page does not say, or does not have, comes from the listing."""
    context = request.context
    page = document_of(request, payload, Options(charset=payload.charset), detailed=True)
    text = page.text or str(context["text"])
    return Document(
        # Where a link leads for good is who the page is, too: two links to one page are one document.
        keys=tuple(dict.fromkeys((*context["keys"], *page.keys))),
        url=page.url,
        title=str(context["title"]) or page.title,
        text=text,
        html=page.html,
        lang=page.lang or str(context.get("lang", "")),
        authors=page.authors or tuple(context["authors"]),
        summary=page.summary or str(context["summary"]),
        published_at=page.published_at or context["published_at"],
        modified_at=page.modified_at,
        media_type=page.media_type,
        strategy=page.strategy if page.text else str(context.get("strategy", "feed")),
        quality=page.quality,
        content_hash=page.content_hash if page.text else content_hash(text),
        meta={**page.meta, **context.get("meta", {})},
    )


def unfollowed(request: Request) -> Document:
    """The entry as the listing had it, for when its page cannot be had."""
    context = request.context
    text = str(context["text"])
    return Document(
        keys=tuple(context["keys"]),
        url=request.url,
        title=str(context["title"]),
        text=text,
        lang=str(context.get("lang", "")),
        authors=tuple(context["authors"]),
        summary=str(context["summary"]),
        published_at=context["published_at"],
        strategy=str(context.get("strategy", "")),
        content_hash=content_hash(text),
        meta=context.get("meta", {}),
    )
