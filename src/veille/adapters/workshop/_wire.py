"""What goes between a worker and its child: lengths, JSON, and the body as it came. Never pickle."""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace

from pydantic import TypeAdapter

from veille.core.findings import Budget, Listing, Notice
from veille.core.models import Document, Lease, Request, Source
from veille.core.rhythm import Rhythm
from veille.core.traffic import Failure, Payload
from veille.core.urls import Tracking, tracking_in_use

#: A reading is text: one that is larger is not kept.
MAX_ANSWER_BYTES = 20 * 1024 * 1024

JOB_HEAD = struct.Struct("<II")
ANSWER_HEAD = struct.Struct("<I")


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What the child is to read; the body follows apart."""

    source: Source
    request: Request
    payload: Payload
    #: What addresses are read by: a child knows no settings.
    tracking: Tracking


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the child made of it."""

    documents: tuple[Document, ...] = ()
    requests: tuple[Request, ...] = ()
    listing: Listing | None = None
    notices: tuple[Notice, ...] = ()
    budget: Budget | None = None
    found: int | None = None
    rhythm: Rhythm | None = None
    failure: Failure | None = None
    #: Whether the child is none the worse for it; if not, it is replaced.
    is_fit: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Hello:
    """What a child says when it is ready: how it is shut in."""

    network: str
    files: str


JOB: TypeAdapter[Job] = TypeAdapter(Job)
ANSWER: TypeAdapter[Answer] = TypeAdapter(Answer)
HELLO: TypeAdapter[Hello] = TypeAdapter(Hello)


def job_frames(lease: Lease, payload: Payload) -> tuple[bytes, bytes]:
    """The head of a job with its facts, and the body."""
    known = replace(payload, body=b"")
    facts = JOB.dump_json(Job(source=lease.source, request=lease.request, payload=known, tracking=tracking_in_use()))
    return JOB_HEAD.pack(len(facts), len(payload.body)) + facts, payload.body


def answer_frame(answer: Answer) -> bytes:
    """An answer with its length before it; one that is too large is replaced by saying so."""
    content = ANSWER.dump_json(answer)
    if len(content) > MAX_ANSWER_BYTES:
        failure = Failure(code="too_large", message="The text of the document is too large.", retryable=False)
        content = ANSWER.dump_json(Answer(failure=failure))
    return ANSWER_HEAD.pack(len(content)) + content
