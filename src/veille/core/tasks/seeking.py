"""Look for what a source used to find, in an answer that it can no longer read."""

from __future__ import annotations

from dataclasses import dataclass, replace

from veille.core.models import Json, Source
from veille.core.seek.again import outline, sought
from veille.core.seek.candidates import ProvenChange, Remembered, Sought
from veille.core.tasks import Task
from veille.core.traffic import Payload


@dataclass(frozen=True, slots=True, kw_only=True)
class SeekAgain(Task[list[ProvenChange]]):
    """Look for what a source used to find; or try these changes of it."""

    what: Sought
    source: Source
    payload: Payload
    before: tuple[Remembered, ...]
    ideas: tuple[Json, ...] = ()

    def run(self, body: bytes) -> list[ProvenChange]:
        return sought(self.what, self.source, replace(self.payload, body=body), self.before, self.ideas)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineAnswer(Task[str]):
    """What there is to choose from in an answer, for a model."""

    what: Sought
    kind: str
    payload: Payload

    def run(self, body: bytes) -> str:
        return outline(self.what, self.kind, replace(self.payload, body=body))
