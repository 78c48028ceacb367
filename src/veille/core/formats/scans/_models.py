"""The two models: one finds regions of text, the other reads the characters of one region."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from veille.core.formats.scans._regions import LINE_HEIGHT
from veille.errors import ReadError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image

NEEDS_EXTRA: Final = "Recognising text in pictures needs an extra: pip install 'veille[ocr]'."
_PACKAGE: Final = "rapidocr"
_FINDER, _READER = "PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx"
#: The finder takes sides that are multiples of this.
_STEP: Final = 32
#: The reader was trained on pictures at least this wide; narrower ones are padded.
_LEAST_WIDTH: Final = 320


class TextFinder:
    """Finds text."""

    def __init__(self, path: str) -> None:
        self._session = _session(path)

    def probabilities(self, picture: Image, side: int) -> NDArray[np.float32]:
        """For every pixel of the picture, scaled to at most `side`, the probability that it is within a line."""
        import numpy as np  # noqa: PLC0415 - lazy
        from PIL.Image import Resampling  # noqa: PLC0415 - in an extra

        factor = min(1.0, side / max(picture.size))
        width, height = (max(_STEP, round(length * factor / _STEP) * _STEP) for length in picture.size)
        pixels = _normal(picture.resize((width, height), Resampling.BILINEAR))
        found: NDArray[np.float32] = self._session.run(None, {"x": np.repeat(pixels[None, None], 3, axis=1)})[0][0, 0]
        return found


class LineReader:
    """Reads one line at a time: in batches, narrow lines are padded to the widest, which takes longer."""

    def __init__(self, path: str) -> None:
        self._session = _session(path)
        # Number 0 separates two equal characters; the last is the space.
        named = self._session.get_modelmeta().custom_metadata_map["character"]
        self._characters = ["", *named.split("\n"), " "]

    def text(self, line: Image) -> tuple[str, float]:
        """The text of a picture of one line, and how sure the model is of it."""
        import numpy as np  # noqa: PLC0415 - lazy

        pixels = np.zeros((1, 3, LINE_HEIGHT, max(_LEAST_WIDTH, line.width)), dtype=np.float32)
        pixels[0, :, :, : line.width] = _normal(line)
        scores = self._session.run(None, {"x": pixels})[0][0]
        best = scores.argmax(axis=1)
        kept = (best != 0) & (np.diff(best, prepend=-1) != 0)
        if not kept.any():
            return "", 0.0
        return "".join(self._characters[number] for number in best[kept]), float(scores.max(axis=1)[kept].mean())


def is_installed() -> bool:
    """Whether the extra is there; nothing is loaded."""
    return all(find_spec(name) is not None for name in (_PACKAGE, "onnxruntime", "PIL"))


@cache
def models() -> tuple[TextFinder, LineReader]:
    """Both models; ReadError if the extra is missing, or has other models than these."""
    if not is_installed():
        raise ReadError(NEEDS_EXTRA, code="needs_extra")
    # Located, not imported: the package's own code is not used.
    spec = find_spec(_PACKAGE)
    folder = next(iter(spec.submodule_search_locations or ())) if spec else ""
    try:
        return TextFinder(f"{folder}/models/{_FINDER}"), LineReader(f"{folder}/models/{_READER}")
    except (ImportError, RuntimeError) as error:
        message = "The models of the extra `ocr` cannot be loaded; install it again: pip install --force-reinstall"
        raise ReadError(f"{message} 'veille[ocr]'. ({type(error).__name__})", code="needs_extra") from error


def _session(path: str) -> Any:
    import onnxruntime  # noqa: PLC0415 - heavy, and in an extra

    # The child has no network; this keeps the library from trying.
    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    # The child may start no threads.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    # An arena keeps the memory of the widest line for all others.
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def _normal(picture: Image) -> NDArray[np.float32]:
    """The pixels as numbers from -1 to 1."""
    import numpy as np  # noqa: PLC0415 - lazy

    return np.asarray(picture, dtype=np.float32) / np.float32(127.5) - np.float32(1)
