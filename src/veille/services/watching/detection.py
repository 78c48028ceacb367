"""Detection, before anything is watched: what kind of source an input should be, why, and what it would bring.

It takes one request, or two if a page has a feed, besides the host's robots.txt. Nothing is stored.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from veille.core.discover.detect import LIST, Advice, Alternative, judge_list, target_of
from veille.core.discover.examined import candidates, feed_instead
from veille.core.discover.opml import distinct
from veille.core.kinds import kind_of
from veille.core.models import Document, Json, Lease, Source
from veille.core.schedule import DAY
from veille.core.search.snippets import below_title
from veille.core.tasks.examining import ListFeeds
from veille.core.traffic import Failure, Payload
from veille.core.urls import canonical
from veille.errors import ConfigError, ReadError
from veille.services.watching.sources import likely_kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from veille.core.discover.examined import Examined
    from veille.core.discover.opml import FeedList
    from veille.core.http.egress import Verdict
    from veille.ports import Clock, Workshop
    from veille.services.repairing.probe import Looker, ProbeAnswer

_MONTH = 30 * DAY
#: Number of samples shown, and characters of each text.
_SHOWN = 5
_BEGINNING = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One document or address that a source would bring."""

    title: str
    url: str
    text: str = ""
    published_at: int | None = None
    #: As in `Document`.
    quality: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Detection:
    """How an input should be watched, and what that would bring."""

    kind: str
    url: str
    reason: str
    name: str = ""
    config: Json = field(default_factory=dict)
    alternatives: tuple[Alternative, ...] = ()
    #: `allowed`, `forbidden` or `unknown`; empty where robots.txt does not apply.
    robots: str = ""
    requests_per_month: int = 0
    #: The first documents or addresses it would bring, and how many there are in all.
    samples: tuple[Sample, ...] = ()
    found: int = 0
    #: Why it could not be fetched or read; empty if it could.
    code: str = ""
    message: str = ""
    #: The charset that the answer's headers name.
    charset: str = ""


class Detector:
    """Detects the kind of any input."""

    def __init__(self, looker: Looker, workshop: Workshop, clock: Clock, judge: Callable[[str], Verdict]) -> None:
        self._looker = looker
        self._workshop = workshop
        self._clock = clock
        #: What is known of an address without a request.
        self._judge = judge

    def detect(self, text: str, interval_ms: int) -> tuple[Detection, bytes]:
        """How the text should be watched, and the body of the answer that showed it.

        The kind of an unreachable address is guessed from its path. ConfigError if the text cannot be watched at all.
        """
        target = target_of(text)
        if target.shape == "words":
            judged = Advice(
                kind="question", url=text.strip(), reason="These are words and no address: search engines are asked."
            )
            return _detection(judged, interval_ms), b""
        if target.shape != "path":
            self._judge(canonical(target.urls[0])).enforce()
        look = self._looker.first(target)
        if isinstance(look.answer, Failure):
            if target.shape == "path" or (target.shape == "host" and look.answer.code == "dns"):
                raise _nothing_there(text, look.answer, is_path=target.shape == "path")
            return _by_looks(look.url, look.answer, interval_ms), b""
        is_local = look.answer.url.startswith("file:")
        seen = None if is_local else self._looker.examine(look.answer)
        if isinstance(seen, Failure):
            return replace(_by_looks(look.url, seen, interval_ms), robots=look.robots), b""
        judged, look = self._judged(look, seen) if seen else (_local(look.answer.url), look)
        assert isinstance(look.answer, Payload)  # noqa: S101 - if the feed failed, the page is used
        detection = replace(_detection(judged, interval_ms), robots=look.robots)
        return self._sampled(replace(detection, charset=look.answer.charset), look.answer), look.answer.body

    def detect_as(self, other: Alternative, name: str, interval_ms: int) -> tuple[Detection, bytes]:
        """What an alternative would bring; no further alternatives are listed."""
        look = self._looker.look(other.url, render=bool((other.config or {}).get("render")))
        judged = Advice(
            kind=other.kind, url=other.url, reason=f"As you chose: {other.reason}.", name=name, config=other.config
        )
        detection = replace(_detection(judged, interval_ms), robots=look.robots)
        if isinstance(look.answer, Failure):
            return replace(detection, code=look.answer.code, message=look.answer.message), b""
        found = self._sampled(replace(detection, charset=look.answer.charset), look.answer)
        if other.kind == "site":
            # The pages known so far; there may be more behind them.
            found = replace(found, requests_per_month=found.requests_per_month * max(1, found.found))
        return found, look.answer.body

    def list_of(self, data: bytes, url: str, interval_ms: int) -> Detection:
        """What a list of feeds would bring; ReadError if it is not a list."""
        found = self._workshop.run(ListFeeds(), data)
        if isinstance(found, Failure):
            raise ReadError(found.message, code=found.code)
        return _listed(_detection(judge_list(_number(found), url), interval_ms), found)

    def _judged(self, look: ProbeAnswer, seen: Examined) -> tuple[Advice, ProbeAnswer]:
        links = candidates(seen)
        if not links:
            return seen.judgement, look
        at_feed = self._looker.look(links[0].url)
        answer = at_feed.answer
        feed = answer if isinstance(answer, Failure) else self._looker.examine_feed(answer)
        chosen = feed_instead(seen, links, feed, self._clock())
        return chosen, at_feed if chosen.kind == "feed" else look

    def _sampled(self, detection: Detection, payload: Payload) -> Detection:
        """Add samples: what the kind reads in the answer, in the workshop like every answer."""
        if detection.kind == LIST:
            found = self._workshop.run(ListFeeds(), payload.body)
            if isinstance(found, Failure):
                return replace(detection, code=found.code, message=found.message)
            return _listed(detection, found)
        reading = self._workshop.read(_lease(detection, self._clock()), payload)
        if reading.failure is not None:
            return replace(detection, code=reading.failure.code, message=reading.failure.message)
        samples = tuple(map(_sample, reading.documents[:_SHOWN]))
        samples += tuple(Sample(title="", url=request.url) for request in reading.requests[: _SHOWN - len(samples)])
        shown = replace(detection, samples=samples, found=len(reading.documents) + len(reading.requests))
        if reading.requests or any(document.text for document in reading.documents):
            return shown
        return replace(shown, code="empty", message="There is nothing to read in it now.")


def _detection(judged: Advice, interval_ms: int) -> Detection:
    return Detection(
        kind=judged.kind,
        url=judged.url,
        reason=judged.reason,
        name=judged.name,
        config=judged.config or {},
        alternatives=judged.alternatives,
        requests_per_month=round(_MONTH / interval_ms * judged.per_turn),
    )


def _listed(detection: Detection, feeds: FeedList) -> Detection:
    samples = tuple(Sample(title=one.title, url=one.url) for one in distinct(feeds.outlines)[:_SHOWN])
    return replace(detection, samples=samples, found=_number(feeds))


def _number(feeds: FeedList) -> int:
    """How many distinct feeds there are; those beyond the limit of a list count as distinct."""
    return feeds.total - len(feeds.outlines) + len(distinct(feeds.outlines))


def _by_looks(url: str, failure: Failure, interval_ms: int) -> Detection:
    kind = likely_kind(url)
    reason = f"It could not be fetched now; by its address it is a {kind}."
    judged = Advice(kind=kind, url=url, reason=reason)
    return replace(_detection(judged, interval_ms), code=failure.code, message=failure.message)


def _nothing_there(text: str, failure: Failure, *, is_path: bool) -> ConfigError:
    if is_path:
        return ConfigError(f"{text[:200]}: {failure.message}", code=failure.code)
    return ConfigError(
        f"There is neither a file nor a host called {text[:200]!r}; write an address in full, such as "
        "https://example.org/news, or a question with more than one word.",
        code="bad_url",
    )


def _local(url: str) -> Advice:
    if url.endswith("/"):
        return Advice(kind="folder", url=url, reason="It is a folder: each document in it is watched.", per_turn=0)
    return Advice(kind="page", url=url, reason="It is a file, watched for changes of its text.", per_turn=0)


def _lease(detection: Detection, now: int) -> Lease:
    """A lease for a source that does not exist, to read its answer."""
    kind = kind_of(detection.kind, detection.config)
    url = kind.address(detection.url)
    source = Source(id="preview", name="", kind=detection.kind, url=url, config=detection.config)
    request = next(iter(kind.start(source)))
    return Lease(dossier_id="", source=source, request=request, worker="", epoch=0, until=now, wakes=0)


def _sample(document: Document) -> Sample:
    # Its title stands above it.
    text = " ".join(below_title(document.text[: 2 * _BEGINNING], document.title).split())[:_BEGINNING]
    return Sample(
        title=document.title,
        url=document.url,
        text=text,
        published_at=document.published_at,
        quality=document.quality,
    )
