"""Any service with an OpenAI-style API (`POST …/v1/embeddings`): Ollama, vLLM, OpenAI itself and many more.

The operator sets its address, which may be private. A response without a vector for every text is rejected.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from pydantic import Field, SecretStr, field_validator

from veille.adapters.hooks import checked_address
from veille.adapters.sender import ask, json_order
from veille.core.models import Json
from veille.core.search.fusion import Blend
from veille.errors import SinkError
from veille.ports import Embedder, EmbedderConfig

#: Vectors are compared with 32 bits a number: no larger one fits.
_LARGEST: Final = 3e38


class OpenaiConfig(EmbedderConfig):
    """Options of an OpenAI-style service."""

    url: str = Field(description="Its address, such as http://127.0.0.1:11434/v1/embeddings; it may be private.")
    model: str = Field(min_length=1, description="The model it shall use.")
    token: SecretStr | None = Field(None, description="Sent to it as a bearer token.")
    dimensions: int | None = Field(None, gt=0, description="Shorter vectors, where the model can.")
    batch: int = Field(32, gt=0, le=2048, description="Texts sent at once.")
    languages: list[str] | None = Field(None, description="The languages that the model knows, such as `en`; all.")
    weight: float = Field(0.4, ge=0, le=1, description="How much its vectors count beside words in a search.")
    across: float = Field(0.85, ge=0, le=1, description="The same for questions in another language.")
    timeout_s: float = Field(60, gt=0, description="Longest time for one answer.")

    _is_address = field_validator("url")(checked_address)


class OpenaiEmbedder(Embedder):
    """Sends requests to the service, batch by batch."""

    Config = OpenaiConfig
    config: OpenaiConfig

    @property
    def name(self) -> str:
        shortened = f":{self.config.dimensions}" if self.config.dimensions else ""
        return f"openai:{self.config.model}{shortened}"

    @property
    def blend(self) -> Blend:
        known = self.config.languages
        languages = None if known is None else frozenset(known)
        return Blend(weight=self.config.weight, across=self.config.across, languages=languages)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        size = self.config.batch
        batches = [list(texts[start : start + size]) for start in range(0, len(texts), size)]
        return [vector for batch in batches for vector in self._ask(batch)]

    def _ask(self, texts: list[str]) -> list[list[float]]:
        options = self.config
        wish: Json = {"model": options.model, "input": texts, "encoding_format": "float"}
        if options.dimensions:
            wish["dimensions"] = options.dimensions
        order = json_order("embeddings", options.url, wish, options.token)
        answer = ask(self.sender, order, options.timeout_s, who="The embedder", code="sink.embedder")
        vectors = _vectors(answer.body, len(texts))
        if vectors is None:
            raise SinkError(
                f"{options.url} did not answer with a vector for each of {len(texts)} texts but with "
                f"{answer.body[:80]!r}; check that it is an OpenAI-style /v1/embeddings.",
                code="sink.embedder",
            )
        return vectors


def _vectors(body: bytes, count: int) -> list[list[float]] | None:
    """The vectors in the response, in the order of the texts; None if the response is invalid."""
    try:
        items = sorted(json.loads(body)["data"], key=lambda item: item["index"])
        vectors = [[float(number) for number in item["embedding"]] for item in items]
        places = [item["index"] for item in items]
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None
    lengths = {len(vector) for vector in vectors}
    sound = (
        len(lengths) == 1
        and 0 not in lengths
        and all(abs(number) <= _LARGEST for vector in vectors for number in vector)
    )
    return vectors if sound and places == list(range(count)) else None
