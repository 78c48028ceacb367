"""No embedding here: records are stored for an indexer that embeds them later.

Chroma stores no record without a vector, so each gets the same one, `[1, 0, 0 …]`, with as many `dimensions` as the
indexer's model has. The indexer replaces them in place: `collection.update(ids=…, embeddings=…)`.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from veille.core.search.fusion import Blend
from veille.ports import Embedder, EmbedderConfig


class NoneConfig(EmbedderConfig):
    """Options of the embedder `none`."""

    dimensions: int = Field(1, gt=0, le=65_536, description="How many numbers a vector of the later indexer has.")


class NoneEmbedder(Embedder):
    """The same vector for every text."""

    Config = NoneConfig
    config: NoneConfig

    @property
    def name(self) -> str:
        return "none"

    @property
    def blend(self) -> Blend:
        return Blend(weight=0, languages=frozenset())

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[1.0] + [0.0] * (self.config.dimensions - 1) for _ in texts]
