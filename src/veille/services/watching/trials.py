"""Tries the steps of a page, or a search engine, now, for somebody who waits: what comes of it, and what is read."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from veille.core.models import Source
from veille.core.traffic import Failure, Order
from veille.services.repairing.probe import fetched

if TYPE_CHECKING:
    from veille.core.browsing.steps import BrowserStep
    from veille.core.browsing.visit import Box
    from veille.core.discover.engines import SearchEngine
    from veille.core.traffic import Payload
    from veille.ports import Fetcher, Workshop
    from veille.services.watching.request_builder import Orders

#: Letters of the text that are shown.
_LETTERS = 800
#: Results of an engine that are shown, and letters of each.
_RESULTS, _SNIPPET = 10, 200


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedSteps:
    """What came of steps. The picture is PNG; it is empty if there is none."""

    problem: str = ""
    code: str = ""
    picture: bytes = field(default=b"", repr=False)
    #: The elements in the picture that a next step could use.
    boxes: tuple[Box, ...] = ()
    url: str = ""
    title: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedEngine:
    """What a search engine answered: titles, addresses and beginnings of results; or why there are none."""

    problem: str = ""
    found: tuple[tuple[str, str, str], ...] = ()


class StepTrials:
    """Tries steps and engines, with its own fetcher. Nothing is stored, and the source is not changed."""

    def __init__(self, orders: Orders, fetcher: Fetcher, workshop: Workshop) -> None:
        self._orders = orders
        self._fetcher = fetcher
        self._workshop = workshop

    def run(self, dossier_id: str, source: Source, steps: tuple[BrowserStep, ...]) -> TriedSteps:
        """Take these steps on the page of a source."""
        visit = self._orders.visit(dossier_id, steps, records=True)
        if isinstance(visit, Failure):
            return _failed(visit)
        order = Order(key="trial", url=source.url, render=True, visit=visit)
        answer = fetched(self._fetcher, [order])["trial"]
        return _failed(answer) if isinstance(answer, Failure) else self._read(dossier_id, source, answer)

    def ask(self, dossier_id: str, engine: SearchEngine, words: str, now: int) -> TriedEngine:
        """Ask an engine, with the secrets of the dossier; its results are not followed."""
        from veille.core.kinds import kind_of_source  # noqa: PLC0415 - slow to import
        from veille.core.reread.answers import lease_to_read  # noqa: PLC0415 - likewise
        from veille.core.tasks.reading import ReadAnswer  # noqa: PLC0415 - likewise

        engines = {engine.id: engine.record | {"enabled": True}}
        config = {"text": words, "channels": [engine.id], "engines": engines, "follow_links": False}
        question = Source(id="trial", kind="question", url="question://trial", name=engine.id, config=config)
        request = replace(next(iter(kind_of_source(question).start(question))), id="trial")
        order = self._orders.make("trial", lease_to_read(dossier_id, question, request), now)
        answer = order if isinstance(order, Failure) else fetched(self._fetcher, [order])["trial"]
        if isinstance(answer, Failure):
            return TriedEngine(problem=answer.message)
        read = self._workshop.run(*ReadAnswer.of(question, request, answer), group=dossier_id)
        if isinstance(read, Failure):
            return TriedEngine(problem=read.message)
        return TriedEngine(found=tuple((one.title, one.url, one.text[:_SNIPPET]) for one in read.documents[:_RESULTS]))

    def _read(self, dossier_id: str, source: Source, answer: Payload) -> TriedSteps:
        # Loads all readers.
        from veille.core.kinds import kind_of_source  # noqa: PLC0415 - slow to import
        from veille.core.tasks.reading import ReadAnswer  # noqa: PLC0415 - likewise

        request = next(iter(kind_of_source(source).start(source)))
        found = self._workshop.run(*ReadAnswer.of(source, request, replace(answer, shot=None)), group=dossier_id)
        shot = answer.shot
        tried = TriedSteps(
            picture=shot.png if shot is not None else b"",
            boxes=shot.boxes if shot is not None else (),
            url=answer.final_url,
        )
        if isinstance(found, Failure):
            return replace(tried, problem=found.message, code=found.code)
        if not found.documents:
            return tried
        document = found.documents[0]
        return replace(tried, title=document.title, text=document.text[:_LETTERS])


def _failed(failure: Failure) -> TriedSteps:
    return TriedSteps(problem=failure.message, code=failure.code, picture=failure.picture)
