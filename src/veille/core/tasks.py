"""Work on bytes from sites, and on selectors and patterns from users, as values.

A task is pure, but may take any amount of time, because its input is untrusted. So only the workshop runs tasks, in a
separate process and with a deadline.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, ClassVar, Final, Generic, TypeVar, get_type_hints

from veille.core.alerts.replay import ServiceAnswer, ServiceStep, run_service
from veille.core.browsing.pictures import DrawnDifference, drawn_difference
from veille.core.browsing.visit import Shot
from veille.core.change.reading import Findings, findings
from veille.core.discover.examined import Examined, FeedSeen, feed_seen, seen
from veille.core.discover.lists import first_entries
from veille.core.discover.opml import FeedList
from veille.core.formats import may_be_scanned
from veille.core.kinds.site import SiteKind
from veille.core.models import Json, Request, Source
from veille.core.pick.finding import PagePart
from veille.core.report.imports import MOST_ENTRIES
from veille.core.rules.facts import Facts
from veille.core.rules.judging import JudgedChanges, judged
from veille.core.show.pointing import (
    PartSeen,
    PickedOptions,
    Snapshot,
    items_taken,
    part_seen,
    parts_taken,
    pictured,
)
from veille.core.show.reader import USUAL, ReaderOptions, ReaderResult, read_page
from veille.core.traffic import Payload
from veille.core.values.changing import ChangingNumber, changing_numbers
from veille.core.values.near import value_near
from veille.core.values.value import Value
from veille.core.values.wishes import ValueWish

Result = TypeVar("Result")


class Task(ABC, Generic[Result]):
    """A job for the workshop; the bytes to process are passed separately."""

    @abstractmethod
    def run(self, body: bytes) -> Result:
        """Return the result, or raise a VeilleError that says why there is none."""

    def is_long(self, body: bytes) -> bool:
        """Whether it may take minutes, so that it has limits and a process of its own; by the first bytes alone."""
        del body
        return False

    #: Whether it runs code of others that expects a network: it has a process of its own, which still has none.
    is_foreign: ClassVar[bool] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadAnswer(Task[Findings]):
    """Read an answer with the kind of its source."""

    source: Source
    request: Request
    payload: Payload
    #: How many bytes of the body are the page, and each of the pictures that follow it; empty if there are none.
    sizes: tuple[int, ...] = ()

    @classmethod
    def of(cls, source: Source, request: Request, payload: Payload) -> tuple[ReadAnswer, bytes]:
        """The task for an answer, and its bytes: the page, and the pictures that came with it."""
        bare, shot = replace(payload, body=b"", shot=None), payload.shot
        if shot is None:
            return cls(source=source, request=request, payload=bare), payload.body
        parts = (payload.body, shot.png, shot.kept, shot.first)
        return cls(source=source, request=request, payload=bare, sizes=tuple(map(len, parts))), b"".join(parts)

    def run(self, body: bytes) -> Findings:
        payload = replace(self.payload, body=body)
        if self.sizes:
            ends = list(accumulate(self.sizes))
            page, png, kept, first = (body[end - size : end] for size, end in zip(self.sizes, ends, strict=True))
            payload = replace(payload, body=page, shot=Shot(png=png, kept=kept, first=first))
        return findings(self.source, self.request, payload)

    def is_long(self, body: bytes) -> bool:
        return bool(self.sizes) or (bool(self.source.config.get("ocr")) and may_be_scanned(body))


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
class MakeReadable(Task[ReaderResult]):
    """Make the reader view of a page. Images to be signed are only marked: keys do not leave their process."""

    payload: Payload
    mark: str
    options: ReaderOptions = USUAL

    def run(self, body: bytes) -> ReaderResult:
        return read_page(replace(self.payload, body=body), lambda _: self.mark, self.options)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFeeds(Task[FeedList]):
    """The entries of a list of sources, as many as one import takes."""

    def run(self, body: bytes) -> FeedList:
        return first_entries(body, MOST_ENTRIES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Admit(Task[list[bool]]):
    """Which of the addresses, each with its depth, are within the bounds of a site."""

    config: Json
    source: Source
    addresses: tuple[tuple[str, int], ...]

    def run(self, body: bytes) -> list[bool]:
        del body
        kind = SiteKind(SiteKind.Config.model_validate(self.config))
        return [kind.covers(self.source, url, depth) for url, depth in self.addresses]


@dataclass(frozen=True, slots=True, kw_only=True)
class FindRequest(Task[Request]):
    """The request for one address of a site; ConfigError if it is out of bounds."""

    config: Json
    source: Source
    url: str

    def run(self, body: bytes) -> Request:
        del body
        return SiteKind(SiteKind.Config.model_validate(self.config)).one(self.source, self.url)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeChanges(Task[JudgedChanges]):
    """Judge changes by rules: what users wrote, over what sites sent. Make it with `of`."""

    #: Expressions by the ids of rules.
    rules: dict[str, str]
    #: Lists of ids of rules that may fire. Changes of one source share them, so that each is sent once.
    candidates: tuple[tuple[str, ...], ...]
    #: Facts, and the place of their list.
    cases: tuple[tuple[Facts, int], ...]

    @classmethod
    def of(cls, rules: Mapping[str, str], cases: Iterable[tuple[Facts, Sequence[str]]]) -> JudgeChanges:
        """The task for cases, each with the ids of the rules that may fire on it (`RuleBook.candidates`)."""
        places: dict[tuple[str, ...], int] = {}
        placed = tuple((facts, places.setdefault(tuple(ids), len(places))) for facts, ids in cases)
        needed = {rule_id: rules[rule_id] for ids in places for rule_id in ids if rule_id in rules}
        return cls(rules=needed, candidates=tuple(places), cases=placed)

    def run(self, body: bytes) -> JudgedChanges:
        del body
        return judged(self.rules, ((facts, self.candidates[place]) for facts, place in self.cases))


@dataclass(frozen=True, slots=True, kw_only=True)
class FindChangingNumbers(Task[list[ChangingNumber]]):
    """The numbers that changed in place between texts of one document, the oldest first."""

    texts: tuple[str, ...]
    lang: str = ""

    def run(self, body: bytes) -> list[ChangingNumber]:
        del body
        return changing_numbers(self.texts, lang=self.lang)


@dataclass(frozen=True, slots=True, kw_only=True)
class FindValuesNear(Task[list[list[Value]]]):
    """The values that stand near the words of these wishes, by name, in each of the texts."""

    texts: tuple[str, ...]
    wishes: dict[str, ValueWish]
    lang: str = ""

    def run(self, body: bytes) -> list[list[Value]]:
        del body
        return [
            [
                found
                for name, wish in self.wishes.items()
                if (found := value_near(name, text, wish.near, wish.type, lang=self.lang)) is not None
            ]
            for text in self.texts
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawDifference(Task[DrawnDifference]):
    """Draw where two pictures differ; the body is both, the older one first, of `size` bytes."""

    size: int

    def run(self, body: bytes) -> DrawnDifference:
        return drawn_difference(body[: self.size], body[self.size :])

    def is_long(self, body: bytes) -> bool:
        del body
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderTemplate(Task[str]):
    """Render a template of a user with plain values."""

    template: str
    values: Json

    def run(self, body: bytes) -> str:
        # Loaded by those who use templates only.
        from veille.core.alerts.templates import rendered  # noqa: PLC0415

        del body
        return rendered(self.template, self.values)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunService(Task[ServiceStep]):
    """Run a plugin of apprise up to its next request."""

    is_foreign: ClassVar[bool] = True

    url: str
    title: str = ""
    text: str = ""
    answers: tuple[ServiceAnswer, ...] = ()

    def run(self, body: bytes) -> ServiceStep:
        del body
        return run_service(self.url, self.title, self.text, self.answers)


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeSnapshot(Task[Snapshot]):
    """Make a picture of a page to point at."""

    charset: str = ""
    taken: tuple[PagePart, ...] = ()
    ignored: tuple[PagePart, ...] = ()

    def run(self, body: bytes) -> Snapshot:
        return pictured(body, self.charset, self.taken, self.ignored)


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribePart(Task[PartSeen]):
    """What an element of a page would give."""

    n: int
    charset: str = ""

    def run(self, body: bytes) -> PartSeen:
        return part_seen(body, self.charset, self.n)


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeParts(Task[PickedOptions]):
    """The options of a source that watches some elements of a page; or each that is like the marked items."""

    take: tuple[int, ...] = ()
    leave: tuple[int, ...] = ()
    items: tuple[int, ...] = ()
    charset: str = ""

    def run(self, body: bytes) -> PickedOptions:
        if self.items:
            return items_taken(body, self.charset, self.items)
        return parts_taken(body, self.charset, self.take, self.leave)


#: Every task and its result type: the separate process accepts these and nothing else.
TASKS: Final[dict[type[Task[Any]], Any]] = {task: get_type_hints(task.run)["return"] for task in Task.__subclasses__()}
