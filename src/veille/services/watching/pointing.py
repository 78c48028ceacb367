"""Pointing at parts of a page that was fetched: all work on its bytes is done in a child process."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from veille.core.pick.part import PagePart
from veille.core.tasks import Task
from veille.core.tasks.pointing import DescribePart, MakeSnapshot, TakeParts
from veille.core.traffic import Failure
from veille.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from veille.core.models import Json
    from veille.core.show.pointing import PartSeen, Snapshot
    from veille.ports import Workshop

Given = TypeVar("Given")
_TOO_SLOW = (
    "The page is too large to find so many parts on it in time. Point at fewer parts, or at one larger one around them."
)


class Pointer:
    """Shows the parts of a page, and makes options of those that were picked."""

    def __init__(self, workshop: Workshop) -> None:
        self._workshop = workshop

    def picture(self, body: bytes, charset: str, options: Json) -> Snapshot:
        """A picture of the page to point at, with the parts that these options name."""
        task = MakeSnapshot(charset=charset, taken=_parts(options, "parts"), ignored=_parts(options, "without"))
        return self._done(task, body)

    def part(self, body: bytes, charset: str, n: int) -> PartSeen:
        """What one element would give."""
        return self._done(DescribePart(n=n, charset=charset), body)

    def taken(self, body: bytes, charset: str, take: Sequence[int], leave: Sequence[int]) -> Json:
        """The options of a source that watches these elements, and ignores those."""
        task = TakeParts(take=tuple(take), leave=tuple(leave), charset=charset)
        return self._done(task, body).options

    def items(self, body: bytes, charset: str, marked: Sequence[int]) -> Json:
        """The options of a source whose items are like the marked elements."""
        return self._done(TakeParts(items=tuple(marked), charset=charset), body).options

    def _done(self, task: Task[Given], body: bytes) -> Given:
        found = self._workshop.run(task, body)
        if isinstance(found, Failure):
            raise ConfigError(_TOO_SLOW if found.code == "too_slow" else found.message, code=found.code)
        return found


def _parts(options: Json, name: str) -> tuple[PagePart, ...]:
    return tuple(map(PagePart.model_validate, options.get(name, ())))
