"""Read an answer with the kind of its source: what a check does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import accumulate

from veille.core.browsing.visit import Shot
from veille.core.change.reading import Findings, findings
from veille.core.models import Request, Source
from veille.core.tasks import Task
from veille.core.traffic import Payload


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
        if self.sizes or not self.source.config.get("ocr"):
            return bool(self.sizes)
        from veille.core.formats import may_be_scanned  # noqa: PLC0415 - few sources have it on

        return may_be_scanned(body)
