"""What the compiled part of the look at the bytes does, without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

_LESS, _SLASH = b"</"
_STARTS: Final = np.zeros(256, dtype=bool)
_STARTS[list(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/!?")] = True


def long_tags(data: bytes, most: int, length: int) -> list[int] | None:
    """Where a "<" stands with no other within `length` bytes.

    None when more than `most` tags are left open, or more than `most` "<" start none.
    """
    codes = np.frombuffer(data, dtype=np.uint8)
    starts = np.flatnonzero(codes == _LESS)
    # With no more "<" than this, neither of the counts of `_crowded` can be over it.
    if len(starts) > most and _crowded(codes, starts, most):
        return None
    found: list[int] = starts[np.diff(starts, append=len(data)) > length].tolist()
    return found


def _crowded(codes: Array, starts: Array, most: int) -> bool:
    """Whether too many tags are left open, or too many "<" start none."""
    after = codes[np.minimum(starts + 1, len(codes) - 1)]
    # A tag with too many attributes is long, or cut up by "<" inside its values. In scripts "<" is common, so neither
    # is proof; fewer cuts than `most` could not hurt.
    if len(starts) - np.count_nonzero(_STARTS[after]) > most:
        return True
    return bool((np.cumsum(1 - 2 * (after == _SLASH)) > most).any())
