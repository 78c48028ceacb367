"""Finds the feeds of a page, and judges whether each is alive and in a wanted language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from veille.core.discover.detect import target_of
from veille.core.discover.discovery import GUESSED, FeedLink, verdict
from veille.core.text import printed
from veille.core.traffic import Failure, Payload
from veille.errors import ConfigError

if TYPE_CHECKING:
    from veille.ports import Clock
    from veille.services.repairing.probe import Looker

#: Feeds that are fetched: each costs a request.
MAX_FEEDS = 10
#: Guesses that may fail before we assume that there is no feed.
_MAX_GUESSES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFeed:
    """A feed that was found, and whether it should be watched."""

    url: str
    title: str
    #: How it was found.
    reason: str
    accepted: bool = False
    #: `ok`, `empty`, `undated`, `stale`, `language`, or the code of why it could not be fetched or read.
    finding: str
    message: str
    entries: int = 0
    language: str = ""
    newest_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standard:
    """The requirements for a feed: the maximum age of its newest entry, and the languages, if any are given."""

    max_age_days: int = 7
    languages: tuple[str, ...] = ("en",)


class Discoverer:
    """Discovers feeds."""

    def __init__(self, looker: Looker, clock: Clock) -> None:
        self._looker = looker
        self._clock = clock

    def discover(self, text: str, standard: Standard) -> list[FoundFeed]:
        """The feeds of an address, which may be one itself; the usual paths are tried only if a page links to none."""
        target = target_of(text)
        if target.shape not in {"address", "host"}:
            raise ConfigError(f"{text[:120]!r} is no address of a page on the web.", code="bad_url")
        look = self._looker.first(target)
        if isinstance(look.answer, Failure):
            raise ConfigError(f"{look.url}: {look.answer.message}", code=look.answer.code)
        seen = self._looker.examine(look.answer)
        if isinstance(seen, Failure):
            raise ConfigError(f"{look.url}: {seen.message}", code=seen.code)
        if seen.judgement.kind == "feed":
            itself = FeedLink(url=look.url, score=100, reason="the address itself")
            return [self._judged(itself, look.answer, standard)]
        named = [link for link in seen.links if link.reason != GUESSED]
        if named:
            return [self._found(link, standard) for link in named[:MAX_FEEDS]]
        for link in seen.links[:_MAX_GUESSES]:
            found = self._found(link, standard)
            if found.entries:
                return [found]
        return []

    def _found(self, link: FeedLink, standard: Standard) -> FoundFeed:
        return self._judged(link, self._looker.look(link.url).answer, standard)

    def _judged(self, link: FeedLink, answer: Payload | Failure, standard: Standard) -> FoundFeed:
        found = answer if isinstance(answer, Failure) else self._looker.examine_feed(answer)
        if isinstance(found, Failure):
            return FoundFeed(
                url=link.url, title=link.title, reason=link.reason, finding=found.code, message=found.message
            )
        feed = found.feed
        judged = verdict(
            feed,
            self._clock(),
            max_age_days=standard.max_age_days,
            languages=standard.languages,
            language=found.language,
        )
        return FoundFeed(
            url=link.url,
            title=printed(feed.title) or link.title,
            reason=link.reason,
            accepted=judged.accepted,
            finding=judged.finding,
            message=judged.reason,
            entries=len(feed.entries),
            language=judged.language or feed.language,
            newest_at=judged.newest_at,
        )
