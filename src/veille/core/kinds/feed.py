"""An RSS or Atom feed: every entry is a document, read from the feed itself or from the page it links to."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from pydantic import Field

from veille.core.feed_hints import rhythm_of
from veille.core.fingerprint import content_hash
from veille.core.kinds import Finding, Kind, KindConfig
from veille.core.kinds._follow import context_of, followed, refuse_wrong_selectors, stamp_of
from veille.core.kinds._options import PAGE_WAYS
from veille.core.models import Budget, Document, Notice, Request, Source
from veille.core.traffic import Payload
from veille.core.urls import join

if TYPE_CHECKING:
    from veille.core.feeds import Feed

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
            yield self._entry(request, payload)
            return
        # A worker asks only how to fetch, and never reads.
        from veille.core.feeds import parse_feed  # noqa: PLC0415
        from veille.core.feeds.documents import entry_document, entry_link  # noqa: PLC0415
        from veille.core.feeds.machine import MAX_TEXT  # noqa: PLC0415

        feed = parse_feed(payload.body, payload.final_url, payload.charset)
        if source.pace_ms is not None and request.purpose == "root":
            yield rhythm_of(payload.body)
        for entry in feed.entries[: self.config.max_entries]:
            link = entry_link(entry, payload.final_url)
            document = entry_document(source, entry, link, payload.final_url)
            if link and self.config.follow_links:
                yield self.request(source, link, ENTRY, stamp=stamp_of(document), context=context_of(document))
            else:
                yield document
            if entry.is_cut:
                message = f"A text of this entry has more than {MAX_TEXT:,} characters; the rest of it is left out."
                yield Notice(code="over_text", url=document.url, message=message)
        yield from self._older(source, request, payload, feed)

    def _entry(self, request: Request, payload: Payload) -> Document:
        """The page of an entry."""
        page = followed(request, payload, self.config)
        if not self.config.ignore_offers:
            return page
        from veille.core.news.labels import text_hash  # noqa: PLC0415 - few sources have it on

        return replace(page, content_hash=text_hash(page.text))

    def _older(self, source: Source, request: Request, payload: Payload, feed: Feed) -> Iterator[Request]:
        """The next page, if there is one within the limit; it is fetched again if this one has changed."""
        page = int(request.context.get("page", 1))
        link = join(payload.final_url, feed.next_link) if feed.next_link else None
        if link and page < self.config.max_pages and link not in {payload.final_url, source.url, request.url}:
            # Not the hash of the bytes: many feeds have their build time in them and differ at every check.
            stamp = content_hash("\n".join(f"{entry.guid} {entry.link} {entry.title}" for entry in feed.entries))
            yield self.request(source, link, OLDER, stamp=stamp, context={"page": page + 1})
