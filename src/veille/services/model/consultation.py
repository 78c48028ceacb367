"""Asks the operator's model: answers are kept, tokens are counted, failures are retried, replies are checked."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic

from veille.core.prompting.prompts import ChatMessage, ModelPrompt, Shape, token_estimate
from veille.core.prompting.replies import (
    Completion,
    ModelAnswer,
    ModelCall,
    NoModelAnswer,
    StoredReply,
    read_reply,
    repair_messages,
    wait_s,
)
from veille.core.traffic import Failure
from veille.failpoints import failpoint

if TYPE_CHECKING:
    from veille.ports import Clock, Dossiers
    from veille.ports.models import Model

#: Called before each reply; what it gives hears the parts of that reply.
Listen = Callable[[], Callable[[str], object]]

#: A time limit below this is no use to begin another call with.
_LEAST_S = 0.5
#: After these, the service may have done its work, and counts it.
_MAY_HAVE_COST = frozenset({"timeout", "too_slow", "truncated", "reset", "model.protocol"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTools:
    """What is needed to ask a model."""

    #: A model with its own connection, for one thread.
    opened: Callable[[], AbstractContextManager[Model]]
    #: The most tokens of a dossier per day; 0: no limit.
    tokens_per_day: int
    #: How long one answer may take in all, with retries and a repair.
    timeout_s: float
    #: How often a failing call is made.
    tries: int
    keep_ms: int


class ModelService:
    """Asks the model on behalf of a dossier."""

    def __init__(self, dossiers: Dossiers, tools: ModelTools, clock: Clock) -> None:
        self._dossiers = dossiers
        self._tools = tools
        self._clock = clock

    @property
    def is_there(self) -> bool:
        """Whether the operator set up a model."""
        with self._tools.opened() as model:
            return model.is_there

    def used(self, dossier_id: str) -> int:
        """The tokens that a dossier used today (UTC)."""
        with self._dossiers.open(dossier_id) as store:
            return store.model_records.used(self._clock())

    def ask(
        self, dossier_id: str, prompt: ModelPrompt[Shape], listen: Listen | None = None
    ) -> ModelAnswer[Shape] | NoModelAnswer:
        """The answer of the model, from before if it was asked the same; or why there is none.

        Whoever listens hears the text of each reply in parts as it is written, whether or not it can be used.
        """
        with self._tools.opened() as model:
            if not model.is_there:
                return NoModelAnswer(code="model.none", message="The operator set up no model: see `[model]`.")
            key, now = prompt.key(model.name), self._clock()
            with self._dossiers.open(dossier_id) as store:
                kept = store.model_records.kept(key, now)
                if kept and not isinstance(value := read_reply(kept.answer, prompt.shape), str):
                    return ModelAnswer(value=value, model=kept.model, prompt=kept.prompt, at=kept.at, is_kept=True)
            answer = _Conversation(model, prompt, self._tools, self._dossiers, dossier_id, self._clock, listen).held()
        if isinstance(answer, ModelAnswer) and self._tools.keep_ms:
            said = answer.value.model_dump_json()
            kept = StoredReply(key=key, model=answer.model, prompt=answer.prompt, answer=said, at=answer.at)
            with self._dossiers.open(dossier_id) as store:
                store.model_records.keep(kept, prompt.document_ids, answer.at + self._tools.keep_ms)
        return answer


@dataclass
class _Conversation(Generic[Shape]):
    """One question to the model: its retries, and the repair of a reply that cannot be used."""

    model: Model
    prompt: ModelPrompt[Shape]
    tools: ModelTools
    dossiers: Dossiers
    dossier_id: str
    clock: Clock
    listen: Listen | None
    #: When the time of all calls is up.
    _until: float = field(init=False)

    def __post_init__(self) -> None:
        self._until = time.monotonic() + self.tools.timeout_s

    def held(self) -> ModelAnswer[Shape] | NoModelAnswer:
        # Drawn anew for every question, so that nobody who writes pages can know it.
        messages = self.prompt.messages(secrets.token_hex(12))
        problem = ""
        for _ in range(2):
            reply = self._reply(messages)
            if isinstance(reply, NoModelAnswer):
                return reply
            value = read_reply(reply.text, self.prompt.shape)
            if not isinstance(value, str):
                return ModelAnswer(value=value, model=self.model.name, prompt=self.prompt.provenance, at=self.clock())
            problem = "It became too long; be brief." if reply.is_cut else value
            messages += repair_messages(reply.text, problem)
        return NoModelAnswer(
            code="model.nonsense",
            message=f"The model did not answer in the wanted form, even when asked again: {problem}",
        )

    def _reply(self, messages: tuple[ChatMessage, ...]) -> Completion | NoModelAnswer:
        attempt = 0
        while True:
            attempt += 1
            answer = self._call(messages)
            if not isinstance(answer, Failure):
                return answer
            wait = wait_s(attempt, answer) if attempt < self.tools.tries else None
            if wait is None or self._left_s - wait < _LEAST_S:
                said = f"The model {self.model.name} did not answer ({answer.code}): {answer.message}"
                return NoModelAnswer(code="model.failed", message=said)
            time.sleep(wait)

    def _call(self, messages: tuple[ChatMessage, ...]) -> Completion | Failure | NoModelAnswer:
        prompt = self.prompt
        asked = token_estimate(*(one.content for one in messages))
        at, reserved = self.clock(), asked + prompt.max_tokens
        with self.dossiers.open(self.dossier_id) as store:
            if not store.model_records.reserve(reserved, self.tools.tokens_per_day, at):
                return NoModelAnswer(
                    code="model.budget",
                    message=f"The dossier has used its {self.tools.tokens_per_day} tokens of today; "
                    "the operator can raise model.tokens_per_day.",
                )
        failpoint("model_reserved")
        call = ModelCall(
            messages=messages,
            schema_name=prompt.name,
            schema=prompt.schema,
            max_tokens=prompt.max_tokens,
            timeout_s=max(self._left_s, _LEAST_S),
        )
        answer = self.model.stream(call, self.listen()) if self.listen else self.model.complete(call)
        with self.dossiers.open(self.dossier_id) as store:
            store.model_records.settle(reserved, _used(answer, asked), at)
        return answer

    @property
    def _left_s(self) -> float:
        return self._until - time.monotonic()


def _used(answer: Completion | Failure, asked: int) -> int:
    """The tokens that a call cost, as far as anybody knows."""
    if isinstance(answer, Failure):
        return asked if answer.code in _MAY_HAVE_COST else 0
    return answer.tokens or asked + token_estimate(answer.text)
