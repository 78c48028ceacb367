"""The compiled twin of the hot code, or None where it was not built, or from other sources.

The Python code gives the same results, only later. `VEILLE_PURE=1` switches the twin off.
"""

from __future__ import annotations

from typing import Final

#: What of it is called: the number in src/native/module.c.
_INTERFACE: Final = 4

try:
    from veille.core import _native as native
except ImportError:
    native = None  # type: ignore[assignment]

#: Without it there is no twin to call.
BUILT: Final[bool] = getattr(native, "INTERFACE", 0) == _INTERFACE

__all__ = ["BUILT", "native"]
