"""Examine what an address can be watched as."""

from __future__ import annotations

from dataclasses import dataclass, replace

from veille.core.discover.examined import Examined, FeedSeen, feed_seen, seen
from veille.core.discover.lists import first_entries
from veille.core.discover.opml import FeedList
from veille.core.report.imports import MOST_ENTRIES
from veille.core.tasks import Task
from veille.core.traffic import Payload


@dataclass(frozen=True, slots=True, kw_only=True)
class Examine(Task[Examined]):
    """Examine what an answer can be watched as, and which feeds it names."""

    payload: Payload

    def run(self, body: bytes) -> Examined:
        return seen(replace(self.payload, body=body))


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamineFeed(Task[FeedSeen]):
    """Read an answer as a feed, whatever its media type."""

    payload: Payload

    def run(self, body: bytes) -> FeedSeen:
        return feed_seen(replace(self.payload, body=body))


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFeeds(Task[FeedList]):
    """The entries of a list of sources, as many as one import takes."""

    def run(self, body: bytes) -> FeedList:
        return first_entries(body, MOST_ENTRIES)
