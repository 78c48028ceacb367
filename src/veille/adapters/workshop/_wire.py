"""The protocol between a process and its child: lengths, JSON, and the body verbatim. Never pickle."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Final

from pydantic import TypeAdapter

from veille.core.tasks import Task, result_type, task_named
from veille.core.traffic import Failure
from veille.core.urls import Tracking, tracking_in_use

#: A reading is text: a larger one is not stored.
MAX_ANSWER_BYTES: Final = 20 * 1024 * 1024

#: The lengths of the task's name, of the tracking rules for addresses, of the task, and of the body.
JOB_HEAD: Final = struct.Struct("<IIII")
#: The length, whether it is a failure, and whether the child is still fit: if not, it is replaced.
ANSWER_HEAD: Final = struct.Struct("<I??")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hello:
    """The first message of a child: how it is confined."""

    network: str
    files: str


HELLO: Final[TypeAdapter[Hello]] = TypeAdapter(Hello)
FAILURE: Final[TypeAdapter[Failure]] = TypeAdapter(Failure)


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def job_head(task: Task[Any], body: bytes) -> bytes:
    """All of a job but its body, which follows."""
    name, content = type(task).__name__.encode(), _adapter(type(task)).dump_json(task)
    # A child has no settings.
    tracking = _tracking_bytes(tracking_in_use())
    return JOB_HEAD.pack(len(name), len(tracking), len(content), len(body)) + name + tracking + content


@lru_cache(maxsize=8)
def _tracking_bytes(tracking: Tracking) -> bytes:
    return _adapter(Tracking).dump_json(tracking)


@lru_cache(maxsize=8)
def tracking_in(content: bytes) -> Tracking:
    """The tracking rules for addresses, for the child."""
    found: Tracking = _adapter(Tracking).validate_json(content)
    return found


def task_in(name: bytes, content: bytes) -> Task[Any]:
    """The task of a job, for the child."""
    task: Task[Any] = _adapter(task_named(name.decode())).validate_json(content)
    return task


def answer_frame(task: Task[Any], result: object, *, is_fit: bool = True) -> bytes:
    """A result with its header; one that is too large is replaced by a failure."""
    content = _adapter(result_type(type(task))).dump_json(result)
    if len(content) > MAX_ANSWER_BYTES:
        return failure_frame(Failure(code="too_large", message="Its text is too large to be kept.", retryable=False))
    return ANSWER_HEAD.pack(len(content), False, is_fit) + content  # noqa: FBT003 - the fields of the header


def failure_frame(failure: Failure, *, is_fit: bool = True) -> bytes:
    """A failure with its header."""
    content = FAILURE.dump_json(failure)
    return ANSWER_HEAD.pack(len(content), True, is_fit) + content  # noqa: FBT003 - likewise


def result_in(task: Task[Any], content: bytes | bytearray) -> Any:
    """The result of a task, for the parent; ValidationError if the child's answer is invalid."""
    return _adapter(result_type(type(task))).validate_json(content)
