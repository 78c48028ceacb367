"""Follow an entry of a listing to its page: values from the listing fill in what the page lacks."""

from __future__ import annotations

from dataclasses import replace

from veille.core.fingerprint import content_hash
from veille.core.http.caching import is_just_made
from veille.core.kinds import KindConfig
from veille.core.models import Document, Json, Request
from veille.core.text import without_controls
from veille.core.traffic import Payload

#: What a listing tells of an entry.
_LISTED = ("keys", "title", "text", "authors", "summary", "published_at", "modified_at", "lang", "meta", "strategy")


def stamp_of(document: Document) -> str:
    """A stamp that differs if the listing shows a change."""
    return f"{document.content_hash}:{document.title}:{document.modified_at or document.published_at or ''}"


def context_of(document: Document) -> Json:
    """The values from the listing, as context of the request for the page."""
    return {name: getattr(document, name) for name in _LISTED}


def unfollowed(request: Request) -> Document:
    """The document from the listing alone, if the page cannot be fetched."""
    listed = {name: request.context[name] for name in _LISTED if name in request.context}
    # Stored as JSON, which has no tuples.
    listed |= {"keys": tuple(listed["keys"]), "authors": tuple(listed["authors"])}
    return Document(url=request.url, content_hash=content_hash(listed["text"]), **listed)


def refuse_wrong_selectors(config: KindConfig) -> None:
    """Raise ConfigError if a selector of a value cannot be read."""
    if config.values:
        from veille.core.extract import Options, refuse_useless  # noqa: PLC0415 - loads all that reads pages

        refuse_useless(Options(values=config.values))


def followed(request: Request, payload: Payload, config: KindConfig) -> Document:
    """The document from the page of an entry; missing facts come from the listing."""
    from veille.core.extract import Options  # noqa: PLC0415 - likewise
    from veille.core.kinds.page import document_of  # noqa: PLC0415 - likewise

    listed = unfollowed(request)
    options = Options(charset=payload.charset, values=config.values, offers=config.offers)
    page = document_of(request, payload, options, detailed=True)
    if not page.text:
        page = replace(page, text=listed.text, content_hash=listed.content_hash, strategy=listed.strategy or "feed")
    titles = {"listed_title": listed.title, "page_title": page.title}
    modified, by = _modified(page, listed, payload)
    own = {name: value for name, value in (page.meta | listed.meta).items() if name != "modified_by"}
    return replace(
        page,
        # The target of a permanent redirect is a key, too: two links to one page are one document.
        keys=tuple(dict.fromkeys((*listed.keys, *page.keys))),
        title=listed.title or page.title,
        lang=page.lang or listed.lang,
        authors=page.authors or listed.authors,
        summary=page.summary or listed.summary,
        published_at=page.published_at or listed.published_at,
        modified_at=modified,
        meta=own | by | {name: without_controls(title) for name, title in titles.items() if title},
    )


def _modified(page: Document, listed: Document, payload: Payload) -> tuple[int | None, Json]:
    """When the page was modified, and whose word that is: its own, else that of the listing, else the server's."""
    by = page.meta.get("modified_by")
    if by != "document" and listed.modified_at is not None:
        return listed.modified_at, {"modified_by": "feed"}
    if page.modified_at is None or (
        by == "server" and listed.published_at and is_just_made(page.modified_at, payload.fetched_at)
    ):
        return None, {}
    return page.modified_at, {"modified_by": by}
