"""Any service with an OpenAI-style API (`POST …/v1/chat/completions`): llama.cpp, vLLM, Ollama, OpenAI and many more.

The operator sets its address, which may be private. The schema of the answer is sent as `response_format`; a service
that rejects that is asked again with less: for JSON of any shape, then without. Where somebody
waits for an answer it is streamed (`stream`), and a service that cannot do that is asked for all of it at once.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, SecretStr, field_validator

from veille.adapters.hooks import checked_address
from veille.adapters.sender import json_order
from veille.core.models import Json
from veille.core.outcomes import failure
from veille.core.prompting.replies import Completion
from veille.core.prompting.streams import ServerEvents
from veille.core.traffic import Failure
from veille.ports.models import Model, ModelConfig

if TYPE_CHECKING:
    from collections.abc import Callable

    from veille.core.prompting.replies import ModelCall
    from veille.ports import Sender

#: The longest answer of a service, in bytes.
MAX_ANSWER = 4 * 1024 * 1024
#: The same of one that is streamed, where each token comes in an envelope of a few hundred bytes.
MAX_STREAM = 4 * MAX_ANSWER
#: More than a service can have used for one reply: then it counts something else.
_MOST_TOKENS = 10_000_000
_DONE = "[DONE]"
#: Statuses by which services reject a part of a request that they do not know.
_REJECTED = frozenset({400, 404, 415, 422, 501})

Structure = Literal["schema", "json", "none"]
_LESS: dict[Structure, Structure] = {"schema": "json", "json": "none"}


class OpenaiModelConfig(ModelConfig):
    """Options of an OpenAI-style service."""

    url: str = Field(description="Its address, such as http://127.0.0.1:11434/v1/chat/completions; it may be private.")
    model: str = Field(min_length=1, max_length=200, description="The model it shall use.")
    token: SecretStr | None = Field(None, description="Sent to it as a bearer token.")
    temperature: float = Field(0, ge=0, le=2, description="How much chance there is in its replies.")
    structure: Structure = Field(
        "schema",
        description="How it is told the form of the answer: by its `schema`, as `json` of any shape, or `none`. "
        "What it rejects is left out by itself.",
    )

    _is_address = field_validator("url")(checked_address)


class OpenaiModel(Model):
    """Sends every call to the service."""

    Config = OpenaiModelConfig
    config: OpenaiModelConfig

    def __init__(self, config: OpenaiModelConfig, sender: Sender) -> None:
        super().__init__(config, sender)
        self._structure: Structure = config.structure

    @property
    def name(self) -> str:
        return f"openai:{self.config.model}"

    def complete(self, call: ModelCall) -> Completion | Failure:
        return self._fitted(call, self._send)

    def stream(self, call: ModelCall, heard: Callable[[str], object]) -> Completion | Failure:
        answer = self._fitted(call, lambda call: self._listen(call, heard))
        if not _is_rejected(answer):
            return answer
        self._structure = self.config.structure
        return self.complete(call)

    def _fitted(self, call: ModelCall, send: Callable[[ModelCall], Completion | Failure]) -> Completion | Failure:
        """The reply to as much of the wanted structure as the service takes."""
        answer = send(call)
        while _is_rejected(answer) and self._structure in _LESS:
            self._structure = _LESS[self._structure]
            answer = send(call)
        return answer

    def _send(self, call: ModelCall) -> Completion | Failure:
        options = self.config
        order = json_order("completion", options.url, self._wish(call), options.token)
        answer = self.sender.send(order, timeout_s=call.timeout_s, max_bytes=MAX_ANSWER)
        return answer if isinstance(answer, Failure) else _completion(answer.body)

    def _listen(self, call: ModelCall, heard: Callable[[str], object]) -> Completion | Failure:
        options, parts = self.config, _Parts(heard)
        wish = self._wish(call) | {"stream": True, "stream_options": {"include_usage": True}}
        order = replace(json_order("completion", options.url, wish, options.token), heard=parts.feed)
        answer = self.sender.send(order, timeout_s=call.timeout_s, max_bytes=MAX_STREAM)
        return answer if isinstance(answer, Failure) else parts.completion(answer.body)

    def _wish(self, call: ModelCall) -> Json:
        wish: Json = {
            "model": self.config.model,
            "messages": [{"role": one.role, "content": one.content} for one in call.messages],
            "max_tokens": call.max_tokens,
            "temperature": self.config.temperature,
            "stream": False,
        }
        if self._structure == "schema":
            named = {"name": call.schema_name, "schema": call.schema}
            wish["response_format"] = {"type": "json_schema", "json_schema": named}
        elif self._structure == "json":
            wish["response_format"] = {"type": "json_object"}
        return wish


class _Parts:
    """Puts a streamed reply together: `data: {"choices": [{"delta": {"content": "The "}}]}`, …, `data: [DONE]`."""

    def __init__(self, heard: Callable[[str], object]) -> None:
        self._heard = heard
        self._events = ServerEvents()
        self._texts: list[str] = []
        self._tokens: int | None = None
        self._finish = ""
        self._wrong = ""
        self._has_begun = False

    def feed(self, part: bytes) -> None:
        for data in self._events.feed(part):
            self._take(data)

    def completion(self, body: bytes) -> Completion | Failure:
        """The reply, after all of the body was fed."""
        if not self._has_begun:
            # It does not stream.
            return _completion(body)
        if self._wrong:
            return _no_protocol(self._wrong)
        if not self._finish:
            return failure("truncated", "the reply stops before its end")
        return Completion(text="".join(self._texts), tokens=self._tokens, is_cut=self._finish == "length")

    def _take(self, data: str) -> None:
        self._has_begun = True
        if self._wrong or data.strip() == _DONE:
            self._finish = self._finish or _DONE
            return
        try:
            told: Any = json.loads(data)
            # What went wrong is told instead of a part.
            choices = [] if told.get("error") else told.get("choices") or [{}]
            text = self._text(choices[0])
        except (ValueError, AttributeError, TypeError, LookupError, RecursionError):
            self._wrong = data
            return
        self._tokens = _tokens(told) or self._tokens
        if text:
            self._texts.append(text)
            self._heard(text)

    def _text(self, choice: dict[str, Any]) -> str:
        """What a part adds to the text; TypeError if that is no text."""
        self._finish = self._finish or choice.get("finish_reason") or ""
        text = (choice.get("delta") or {}).get("content") or ""
        if not isinstance(text, str):
            raise TypeError("a text was expected")
        return text


def _is_rejected(answer: Completion | Failure) -> bool:
    return isinstance(answer, Failure) and answer.status in _REJECTED


def _no_protocol(said: bytes | str) -> Failure:
    hint = f"The service answered with {said[:80]!r}; check that it is an OpenAI-style /v1/chat/completions."
    return Failure(code="model.protocol", message=hint, retryable=False)


def _tokens(answer: Any) -> int | None:
    """How many tokens were used, if an answer says it."""
    usage = answer.get("usage") if isinstance(answer, dict) else None
    tokens = usage.get("total_tokens") if isinstance(usage, dict) else None
    return tokens if isinstance(tokens, int) and 0 < tokens <= _MOST_TOKENS else None


def _completion(body: bytes) -> Completion | Failure:
    try:
        answer: Any = json.loads(body)
        choice = answer["choices"][0]
        text = choice["message"]["content"]
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        text = None
    if not isinstance(text, str):
        return _no_protocol(body)
    return Completion(text=text, tokens=_tokens(answer), is_cut=choice.get("finish_reason") == "length")
