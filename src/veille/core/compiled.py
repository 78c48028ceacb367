"""The C extension with the hot code; None if it is not built, disabled or incompatible.

The Python code gives the same results, only slower. `VEILLE_PURE=1` disables the extension.
"""

from __future__ import annotations

from typing import Final

#: Version of the interface that is called: the number in src/native/module.c.
_INTERFACE: Final = 15

try:
    from veille.core import _native as native
except ImportError:
    native = None  # type: ignore[assignment]

#: Whether the extension can be called: it is there, and has this version of the interface.
BUILT: Final[bool] = getattr(native, "INTERFACE", 0) == _INTERFACE

__all__ = ["BUILT", "native"]
