"""Try what users write into the fields of a source."""

from __future__ import annotations

from dataclasses import dataclass, replace

from veille.core.models import Request, Source
from veille.core.show.tried import TriedField
from veille.core.show.trying import tried_on_answer, tried_on_texts
from veille.core.tasks import Task
from veille.core.traffic import Payload


@dataclass(frozen=True, slots=True, kw_only=True)
class TryField(Task[TriedField]):
    """What a field of a source's options takes: from an answer, or from texts of documents if there is none."""

    source: Source
    field: str
    request: Request | None = None
    payload: Payload | None = None
    texts: tuple[tuple[str, str], ...] = ()

    def run(self, body: bytes) -> TriedField:
        if self.request is None or self.payload is None:
            return tried_on_texts(self.source, self.texts, self.field)
        return tried_on_answer(self.source, self.request, replace(self.payload, body=body), self.field)
