"""Whether the compiled code can read trees: it also has to match the installed selectolax."""

from __future__ import annotations

from typing import Final

from veille.core.compiled import BUILT, native


def _bound() -> bool:
    try:
        native.bind()
    except ImportError:
        return False
    return True


COMPILED: Final[bool] = BUILT and _bound()

__all__ = ["COMPILED", "native"]
