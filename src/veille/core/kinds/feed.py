"""An RSS or Atom feed: every entry is a document, read from the feed itself or from the page it links to."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace

from pydantic import Field

from veille.core.dates import plausible
from veille.core.extract.output.html import clean_html
from veille.core.extract.output.render import fragment_text
from veille.core.feed_hints import rhythm_of
from veille.core.feeds import Entry, Feed, parse_feed
from veille.core.feeds.machine import MAX_TEXT
from veille.core.fingerprint import content_hash, guid_identity, url_identity
from veille.core.kinds import Finding, Kind, KindConfig
from veille.core.kinds._follow import context_of, followed, refuse_wrong_selectors, stamp_of
from veille.core.kinds.page import PAGE_WAYS
from veille.core.markup_bounds import SIMPLIFIED, is_too_deep
from veille.core.models import Budget, Document, Json, Notice, Request, Source
from veille.core.news.labels import text_hash
from veille.core.text import flat, tidy
from veille.core.traffic import Payload
from veille.core.urls import join

ENTRY = "entry"
OLDER = "older"


class FeedConfig(KindConfig):
    """Options of a feed source."""

    max_entries: int = Field(50, gt=0, le=10_000, title="Most entries", description="Entries read from one answer.")
    max_pages: int = Field(
        1,
        gt=0,
        le=1000,
        title="Most pages of the feed",
        description="Pages read per check, if the feed has older ones.",
    )
    follow_links: bool = Field(
        default=False, title="Read the linked pages", description="Read each entry from its page, not from the feed."
    )
    ignore_offers: bool = Field(
        default=False, title="Ignore offers to read more", description="Changes of lines like `Read more` do not count."
    )
    max_new: int = Field(0, ge=0, title="Most new pages", description="New entries followed per check; 0: no limit.")


class FeedKind(Kind):
    """A feed gives one document per entry."""

    Config = FeedConfig
    config: FeedConfig

    def ways(self) -> frozenset[str]:
        return PAGE_WAYS if self.config.follow_links else self.value_ways

    def check(self) -> None:
        super().check()
        refuse_wrong_selectors(self.config)

    @property
    def budget(self) -> Budget | None:
        fresh = self.config.max_new
        return Budget(pages=sys.maxsize, per_pattern=sys.maxsize, fresh=fresh) if fresh else None

    def read(self, source: Source, request: Request, payload: Payload) -> Iterator[Finding]:
        if request.purpose == ENTRY:
            page = followed(request, payload, self.config)
            yield replace(page, content_hash=text_hash(page.text)) if self.config.ignore_offers else page
            return
        feed = parse_feed(payload.body, payload.final_url, payload.charset)
        if source.pace_ms is not None and request.purpose == "root":
            yield rhythm_of(payload.body)
        for entry in feed.entries[: self.config.max_entries]:
            link = _link(entry, payload.final_url)
            document = _document(source, entry, link, payload.final_url)
            if link and self.config.follow_links:
                yield self.request(source, link, ENTRY, stamp=stamp_of(document), context=context_of(document))
            else:
                yield document
            if entry.is_cut:
                message = f"A text of this entry has more than {MAX_TEXT:,} characters; the rest of it is left out."
                yield Notice(code="over_text", url=document.url, message=message)
        yield from self._older(source, request, payload, feed)

    def _older(self, source: Source, request: Request, payload: Payload, feed: Feed) -> Iterator[Request]:
        """The next page, if there is one within the limit; it is fetched again if this one has changed."""
        page = int(request.context.get("page", 1))
        link = join(payload.final_url, feed.next_link) if feed.next_link else None
        if link and page < self.config.max_pages and link not in {payload.final_url, source.url, request.url}:
            # Not the hash of the bytes: many feeds have their build time in them and differ at every check.
            stamp = content_hash("\n".join(f"{entry.guid} {entry.link} {entry.title}" for entry in feed.entries))
            yield self.request(source, link, OLDER, stamp=stamp, context={"page": page + 1})


def _link(entry: Entry, base: str) -> str | None:
    # An id that is no address ("4711") is the link only because the feed gave no other.
    if not entry.link or (entry.link == entry.guid and ":" not in entry.guid):
        return None
    return join(base, entry.link)


def _document(source: Source, entry: Entry, link: str | None, base: str) -> Document:
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
