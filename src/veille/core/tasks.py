"""What is done with bytes that a site sent, and with selectors and patterns that users wrote, as values.

A task is pure, and may take any time at all: what it is done with was written by somebody else. So nobody runs one but
the workshop, in a process apart and under a deadline.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, TypeVar

from veille.core.change.reading import Findings, findings
from veille.core.discover.examined import FeedSeen, Seen, feed_seen, seen
from veille.core.discover.opml import FeedList, first_outlines
from veille.core.kinds.site import SiteKind
from veille.core.models import Json, Request, Source
from veille.core.report.imports import MOST_ENTRIES
from veille.core.show.readable import read_page
from veille.core.show.reader import ReaderResult
from veille.core.traffic import Payload

Result = TypeVar("Result")


class Task(ABC, Generic[Result]):
    """Something to be done in the workshop; the bytes it is done with go along apart."""

    @abstractmethod
    def run(self, body: bytes) -> Result:
        """The result, or a VeilleError that says why there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Read(Task[Findings]):
    """What the kind of a source makes of an answer."""

    source: Source
    request: Request
    payload: Payload

    def run(self, body: bytes) -> Findings:
        return findings(self.source, self.request, replace(self.payload, body=body))


@dataclass(frozen=True, slots=True, kw_only=True)
class Examine(Task[Seen]):
    """Look at an answer from all sides."""

    payload: Payload

    def run(self, body: bytes) -> Seen:
        return seen(replace(self.payload, body=body))


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamineFeed(Task[FeedSeen]):
    """Read an answer as a feed, whatever it looks like."""

    payload: Payload

    def run(self, body: bytes) -> FeedSeen:
        return feed_seen(replace(self.payload, body=body))


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeReadable(Task[ReaderResult]):
    """Make a page for reading. Images that are to be signed are marked: keys do not leave their process."""

    payload: Payload
    mark: str

    def run(self, body: bytes) -> ReaderResult:
        return read_page(replace(self.payload, body=body), lambda _: self.mark)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFeeds(Task[FeedList]):
    """The feeds of a list (OPML), as many as are taken in at once."""

    def run(self, body: bytes) -> FeedList:
        return first_outlines(body, MOST_ENTRIES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Admit(Task[list[bool]]):
    """Which addresses, each with its depth, a site has within its bounds."""

    config: Json
    source: Source
    addresses: tuple[tuple[str, int], ...]

    def run(self, body: bytes) -> list[bool]:
        del body
        kind = SiteKind(SiteKind.Config.model_validate(self.config))
        return [kind.covers(self.source, url, depth) for url, depth in self.addresses]


@dataclass(frozen=True, slots=True, kw_only=True)
class FindRequest(Task[Request]):
    """The request for one address of a site; a ConfigError when it is out of its bounds."""

    config: Json
    source: Source
    url: str

    def run(self, body: bytes) -> Request:
        del body
        return SiteKind(SiteKind.Config.model_validate(self.config)).one(self.source, self.url)


#: Every task, with what comes out of it: what the process apart can be asked for, and nothing else.
TASKS: Final[dict[type[Task[Any]], Any]] = {
    Read: Findings,
    Examine: Seen,
    ExamineFeed: FeedSeen,
    MakeReadable: ReaderResult,
    ListFeeds: FeedList,
    Admit: list[bool],
    FindRequest: Request,
}
