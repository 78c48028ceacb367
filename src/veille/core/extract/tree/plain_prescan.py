"""The compiled part of the prescan, in Python."""

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
    """The positions of every "<" with no other within `length` bytes.

    None if more than `most` tags are left open, or more than `most` "<" do not start a tag.
    """
    codes = np.frombuffer(data, dtype=np.uint8)
    starts = np.flatnonzero(codes == _LESS)
    # With no more "<" than this, neither count of `_crowded` can exceed it.
    if len(starts) > most and _crowded(codes, starts, most):
        return None
    found: list[int] = starts[np.diff(starts, append=len(data)) > length].tolist()
    return found


def _crowded(codes: Array, starts: Array, most: int) -> bool:
    """Whether too many tags are left open, or too many "<" do not start a tag."""
    after = codes[np.minimum(starts + 1, len(codes) - 1)]
    # A tag with too many attributes is long, or split by "<" inside its values. In scripts "<" is common, so neither
    # is proof; fewer splits than `most` do no harm.
    if len(starts) - np.count_nonzero(_STARTS[after]) > most:
        return True
    return bool((np.cumsum(1 - 2 * (after == _SLASH)) > most).any())
