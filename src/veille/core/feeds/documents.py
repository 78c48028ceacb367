"""Entries of feeds as documents."""

from __future__ import annotations

from veille.core.dates import plausible
from veille.core.extract.output.html import clean_html
from veille.core.extract.output.render import fragment_text
from veille.core.feeds.model import Entry
from veille.core.fingerprint import content_hash, guid_identity, url_identity
from veille.core.markup_bounds import SIMPLIFIED, is_too_deep
from veille.core.models import Document, Json, Source
from veille.core.text import flat, tidy
from veille.core.urls import join


def entry_link(entry: Entry, base: str) -> str | None:
    """The address of its page, if it has one."""
    # An id that is no address ("4711") is the link only because the feed gave no other.
    if not entry.link or (entry.link == entry.guid and ":" not in entry.guid):
        return None
    return join(base, entry.link)


def entry_document(source: Source, entry: Entry, link: str | None, base: str) -> Document:
    """The document that the feed alone gives; `base` is the address of the feed."""
    text = fragment_text(entry.content or entry.summary)
    title = _line(entry.title)
    # The publisher's id identifies the entry within this source, its address across sources.
    guid = entry.guid or entry.link or f"{entry.title}\n{entry.published_at}"
    updated = plausible(entry.updated_at)
    return Document(
        keys=(guid_identity(source.id, guid), *((url_identity(link),) if link else ())),
        url=link or base,
        title=title,
        text=tidy(text) or title,
        html=_harmless(entry.content or entry.summary, link or base),
        lang=entry.language.replace("_", "-").partition("-")[0].lower(),
        authors=entry.authors,
        summary=_line(entry.summary)[:1000],
        published_at=plausible(entry.published_at) or updated,
        modified_at=updated,
        strategy="feed",
        content_hash=content_hash(text or title),
        meta=_meta(entry),
    )


def _line(html: str) -> str:
    # Without tags and character references it is plain text.
    return flat(fragment_text(html) if "<" in html or "&" in html else html)


def _harmless(html: str, url: str) -> str:
    # The feed parser sanitises as other parsers do, which leaves holes: `<b/<p><script>`.
    return clean_html(html, url) if "<" in html else html


def _meta(entry: Entry) -> Json:
    found: Json = {"enclosures": list(entry.enclosures), "categories": list(entry.categories)}
    found[SIMPLIFIED] = is_too_deep(entry.content or entry.summary)
    return {name: values for name, values in found.items() if values}
