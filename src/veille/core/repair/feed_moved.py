"""The feed is gone from its address, but its site names another one: the same feed, if it has known entries."""

from __future__ import annotations

from collections.abc import Iterator

from veille.core.discover.discovery import GUESSED
from veille.core.discover.examined import Examined
from veille.core.feeds import Entry
from veille.core.fingerprint import guid_identity, url_identity
from veille.core.repair import Case, Proposal, RepairRule, Wanted
from veille.core.urls import join

#: Failures in a row before the address counts as gone, or its answers as unreadable.
PROOFS = {"http.404": 2, "http.410": 1, "feed.unknown_format": 2, "feed.malformed": 2}
#: Maximum number of feeds that are probed: each costs a request.
MAX_FEEDS = 3


class FeedMoved(RepairRule):
    """Switches to the feed that the site names now."""

    order = 35
    when = "a feed that is gone or no feed any more, while its site names another that has known entries"
    does = "watches that one; only proposed if none of its entries is known"

    def propose(self, case: Case) -> Proposal:
        source = case.source
        if source.kind != "feed" or source.failures < PROOFS.get(source.error_code, source.failures + 1):
            return None
        for place in places(source.url):
            page = case.looks.get(Wanted(url=place))
            if page is None:
                return Wanted(url=place)
            if page.seen is not None and (verdict := self._named(case, place, page.seen)) is not None:
                return verdict
        return None

    def _named(self, case: Case, place: str, page: Examined) -> Proposal:
        links = [link for link in page.links if link.reason != GUESSED and link.url != case.source.url]
        for link in links[:MAX_FEEDS]:
            look = case.looks.get(Wanted(url=link.url))
            if look is None:
                return Wanted(url=link.url)
            feed = look.seen.feed.feed if look.seen is not None and look.seen.feed is not None else None
            if feed is not None and feed.entries:
                known = sum(any(map(case.knows, _keys(case.source.id, entry, link.url))) for entry in feed.entries)
                proof = (
                    f"{case.source.url} fails with {case.source.error_code}; {place} names {link.url} ({link.reason}), "
                    f"and {known} of its {len(feed.entries)} entries are known."
                )
                return case.repair("feed_moved", {"url": link.url}, proof, automatic=known > 0)
        return None


def places(url: str) -> Iterator[str]:
    """The pages that may name the feed: its parent folder, and the front page."""
    found = [join(url.rstrip("/"), "."), join(url, "/")]
    yield from dict.fromkeys(place for place in found if place and place != url)


def _keys(source_id: str, entry: Entry, base: str) -> Iterator[str]:
    link = join(base, entry.link) if entry.link else None
    if entry.guid:
        yield guid_identity(source_id, entry.guid)
    if link:
        yield url_identity(link)
