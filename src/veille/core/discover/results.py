"""Results of a search engine with title, address and snippet, read from a page or from JSON."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import parse_qs

from selectolax.lexbor import LexborNode

from veille.core.discover.engines import ResultSelectors, SearchEngine
from veille.core.extract.tree.prescan import tree_of
from veille.core.fingerprint import content_hash, raw_hash, url_identity
from veille.core.http.charset import decoded
from veille.core.models import Document, Json
from veille.core.text import flat
from veille.core.traffic import Payload
from veille.core.urls import join, path_and_query
from veille.errors import ReadError


def read_results(engine: SearchEngine, payload: Payload) -> tuple[list[Document], str, str]:
    """The documents of a page of results, the address of the next page, and a fingerprint of the results."""
    places = engine.selectors
    assert places is not None, "generic engines have selectors"  # noqa: S101 - checked when it was made
    text = decoded(payload.body, payload.charset)[0]
    root = tree_of(text.encode("utf-8", "replace")).root
    items = _matches(root, places.result_item)
    if not items and not _matches(root, places.empty):
        raise ReadError(
            f"Nothing on the page of {engine.id} matches selectors.result_item {places.result_item!r}. Either the "
            "engine changed its page or refuses us; or it found nothing, and selectors.empty does not match the "
            "message that says so.",
            code="engine.no_match",
        )
    found = [_result(engine, places, item, payload.final_url) for item in items]
    documents = [document for document in found if document is not None]
    if items and not documents:
        raise ReadError(
            f"{len(items)} results of {engine.id} match {places.result_item!r}, but none has a link at "
            f"selectors.link {places.link!r} and a title at selectors.title {places.title!r}.",
            code="engine.no_match",
        )
    further = _matches(root, places.next)
    link = further[0].attributes.get("href") or "" if further else ""
    mark = raw_hash("\n".join(document.url for document in documents).encode())[:12]
    return documents, join(payload.final_url, link) or "" if link else "", mark


def as_result(document: Document, meta: Json) -> Document:
    """A document as a search result: identified by its address; its first text is kept, as snippets always differ."""
    return replace(
        document,
        keys=(url_identity(document.url),),
        summary=document.text[:1000],
        media_type="text/html",
        strategy="search",
        content_hash=content_hash(document.text),
        meta=document.meta | meta,
        once=True,
    )


def unwrapped(engine: SearchEngine, url: str) -> str:
    """The target of a result, if the engine's links are redirects through the engine."""
    if not engine.unwrap:
        return url
    inner = parse_qs(path_and_query(url)[1]).get(engine.unwrap, [""])[0]
    return join(url, inner) or url if inner else url


def _result(engine: SearchEngine, places: ResultSelectors, item: LexborNode, base: str) -> Document | None:
    links = _matches(item, places.link)
    url = join(base, links[0].attributes.get("href") or "") if links else None
    title, text = (
        flat(found[0].text(separator=" ")) if (found := _matches(item, selector)) else ""
        for selector in (places.title, places.snippet)
    )
    if not url or not title:
        return None
    url = unwrapped(engine, url)
    return Document(keys=(url_identity(url),), url=url, title=title, text=text or title)


def _matches(node: LexborNode | None, selector: str) -> list[LexborNode]:
    # Selectors were validated with the engine, so they can be parsed.
    return node.css(selector) if node is not None and selector else []
