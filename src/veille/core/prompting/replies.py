"""What a model replied, what it is worth, and when to ask once more."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Generic

from pydantic import ValidationError

from veille.core.models import Json
from veille.core.prompting.prompts import ChatMessage, Shape
from veille.core.traffic import Failure

#: Longer replies are nonsense.
MAX_REPLY = 200_000
#: How much of a wrong reply is sent back with the problem.
_QUOTED = 2000
_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """One call of a model."""

    messages: tuple[ChatMessage, ...]
    #: The shape of the answer, as a JSON schema with a name.
    schema_name: str
    schema: Json
    max_tokens: int
    timeout_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What a model replied to one call."""

    text: str
    #: Tokens of call and reply together, as the service counted them; None if it did not say.
    tokens: int | None = None
    #: Whether the reply ended because it became too long.
    is_cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswer(Generic[Shape]):
    """An answer of the wanted shape, and where it is from."""

    value: Shape
    model: str
    #: The name and version of the prompt.
    prompt: str
    at: int
    #: Whether it was kept from before, so that it cost nothing.
    is_kept: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NoModelAnswer:
    """Why there is no answer of a model; do what rules can do instead. The message says what to do about it."""

    code: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredReply:
    """The stored answer of a model, as JSON."""

    key: str
    model: str
    prompt: str
    answer: str
    at: int


def read_reply(text: str, shape: type[Shape]) -> Shape | str:
    """The answer in a reply, or what is wrong with it. Words and a code fence around the JSON are forgiven."""
    if len(text) > MAX_REPLY:
        return f"The answer has {len(text)} characters."
    found = _json_object(text)
    if found is None:
        return "There is no whole JSON object in the answer."
    try:
        return shape.model_validate(found)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        return f"{'.'.join(map(str, first['loc'])) or 'the whole'}: {first['msg']}"


def repair_messages(said: str, problem: str) -> tuple[ChatMessage, ...]:
    """What is added to the conversation to have a reply corrected."""
    wish = f"That cannot be used: {problem} Answer again with one JSON object of the schema, and nothing else."
    return ChatMessage("assistant", said[:_QUOTED]), ChatMessage("user", wish)


def wait_s(attempt: int, failure: Failure) -> float | None:
    """How long to wait before the next try after this many failed ones; None if another try is no use."""
    if not failure.retryable:
        return None
    if failure.retry_after is not None:
        return float(failure.retry_after) if failure.retry_after <= _LONGEST_WAIT_S else None
    return min(_FIRST_WAIT_S * float(2 ** (attempt - 1)), _LONGEST_WAIT_S)


def _json_object(text: str) -> object:
    """The first JSON object in a text; None if there is none that is whole."""
    decoder = json.JSONDecoder()
    at = text.find("{")
    # Only a few beginnings are tried: each costs a look at the rest of the text.
    for _ in range(20):
        if at < 0:
            return None
        try:
            return decoder.raw_decode(text, at)[0]
        except (ValueError, RecursionError):
            at = text.find("{", at + 1)
    return None
