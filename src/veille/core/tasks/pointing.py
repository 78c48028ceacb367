"""What users point at in a page."""

from __future__ import annotations

from dataclasses import dataclass

from veille.core.pick.part import PagePart
from veille.core.show.pointing import (
    PartSeen,
    PickedOptions,
    Snapshot,
    items_taken,
    part_seen,
    parts_taken,
    pictured,
)
from veille.core.tasks import Task


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
