"""Any service with an OpenAI-style API (`POST …/v1/chat/completions`): llama.cpp, vLLM, Ollama, OpenAI and many more.

The operator sets its address, which may be private. The schema of the answer is sent as `response_format`; a service
that rejects that is asked again with less: for JSON of any shape, then without. Replies are not streamed: nothing of an
answer is shown before its citations are checked.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, SecretStr, field_validator

from veille.adapters.hooks import checked_address
from veille.adapters.sender import json_order
from veille.core.models import Json
from veille.core.prompting.replies import Completion
from veille.core.traffic import Failure
from veille.ports.models import Model, ModelConfig

if TYPE_CHECKING:
    from veille.core.prompting.replies import ModelCall
    from veille.ports import Sender

#: The longest answer of a service, in bytes.
MAX_ANSWER = 4 * 1024 * 1024
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
        answer = self._send(call)
        while isinstance(answer, Failure) and answer.status in _REJECTED and self._structure in _LESS:
            self._structure = _LESS[self._structure]
            answer = self._send(call)
        return answer

    def _send(self, call: ModelCall) -> Completion | Failure:
        options = self.config
        order = json_order("completion", options.url, self._wish(call), options.token)
        answer = self.sender.send(order, timeout_s=call.timeout_s, max_bytes=MAX_ANSWER)
        return answer if isinstance(answer, Failure) else _completion(answer.body)

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


def _completion(body: bytes) -> Completion | Failure:
    try:
        answer: Any = json.loads(body)
        choice = answer["choices"][0]
        text = choice["message"]["content"]
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        text = None
    if not isinstance(text, str):
        said = f"with {body[:80]!r}; check that it is an OpenAI-style /v1/chat/completions."
        return Failure(code="model.protocol", message=f"The service answered {said}", retryable=False)
    usage = answer.get("usage") if isinstance(answer, dict) else None
    tokens = usage.get("total_tokens") if isinstance(usage, dict) else None
    return Completion(
        text=text,
        tokens=tokens if isinstance(tokens, int) and tokens > 0 else None,
        is_cut=choice.get("finish_reason") == "length",
    )
