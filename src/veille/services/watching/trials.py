"""Tries the steps of a page now, for somebody who waits: what the page looks like after them, and what is read."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from veille.core.traffic import Failure, Order
from veille.services.repairing.probe import fetched

if TYPE_CHECKING:
    from veille.core.browsing.steps import BrowserStep
    from veille.core.browsing.visit import Box
    from veille.core.models import Source
    from veille.core.traffic import Payload
    from veille.ports import Fetcher, Workshop
    from veille.services.watching.request_builder import Orders

#: Letters of the text that are shown.
_LETTERS = 800


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


class StepTrials:
    """Tries steps, with its own fetcher. Nothing is stored, and the source is not changed."""

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
