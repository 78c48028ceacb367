"""What `core.language.similar` leaves to compiled code, in Python: the reference for it, and what runs without it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

#: As in `core.language.similar`.
_BINS: Final = 256
_IS_APART: Final = 1
#: Parts of a text whose agreement is judged separately.
_PARTS: Final = 8

_Array = NDArray[Any]
_SHINGLE: Final = 3
# A hash has its bin in the top 8 bits, its rank in the next 32, the index of its shingle in the last 24.
_BIN_SHIFT, _RANK_SHIFT = np.uint64(56), np.uint64(24)
_RANK_MASK, _PLACE_MASK = np.uint64(0xFFFF_FFFF), np.uint64(0xFF_FFFF)
_KEEP: Final = np.uint64(0xFFFF_FFFF_FF00_0000)
_PLACES: Final = 256
_ROW: Final = np.dtype([("ranks", "<u4", (_BINS,)), ("places", np.uint8, (_BINS,))])
_EDGES: Final = np.arange(_BINS, dtype=np.uint64) << _BIN_SHIFT
# Odd constants with well-spread bits (splitmix64's and similar): every bit of every word affects every bit.
_FACTORS: Final = tuple(
    np.uint64(factor) for factor in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93)
)
_FOLDS: Final = np.uint64(31), np.uint64(29)
# Powers of a factor and of its inverse (mod 2 ** 64) make the sum over a word independent of its position.
_POWER: Final = 0x9E3779B97F4A7C15
_INVERSE: Final = pow(_POWER, -1, 1 << 64)


def sample(text: str, kinds: bytes, fewest: int) -> bytes | None:
    """The signature of a visible lower-case text; None of fewer words."""
    hashes = _word_hashes(text, kinds)
    count = len(hashes) - _SHINGLE + 1
    if len(hashes) < max(fewest, _SHINGLE):
        return None
    mixed: _Array = hashes[:-2] * _FACTORS[0] + hashes[1:-1] * _FACTORS[1] + hashes[2:] * _FACTORS[2]
    for fold, factor in zip(_FOLDS, _FACTORS[2:], strict=True):
        mixed ^= mixed >> fold
        mixed *= factor
    mixed ^= mixed >> _FOLDS[0]
    mixed = np.sort((mixed & _KEEP) | np.arange(count, dtype=np.uint64) & _PLACE_MASK)
    starts = np.searchsorted(mixed, _EDGES)
    least = mixed[np.minimum(starts, count - 1)]
    filled = (starts < count) & (least >= _EDGES) & (least - _EDGES < np.uint64(1) << _BIN_SHIFT)
    ranks = np.where(filled, np.maximum((least >> _RANK_SHIFT) & _RANK_MASK, 1), 0).astype("<u4")
    places = (least & _PLACE_MASK) * np.uint64(_PLACES) // np.uint64(count)
    return bytes(ranks.tobytes() + np.where(filled, places, 0).astype(np.uint8).tobytes())


def marks(packed: bytes, most: int) -> list[int]:
    """The bins with the smallest ranks, each with its rank as one number."""
    ranks = _row(packed)["ranks"].astype(np.int64)
    filled = np.flatnonzero(ranks)
    chosen = filled[np.argsort(ranks[filled], kind="stable")[:most]]
    return [int(mark) for mark in (chosen << 32) | ranks[chosen]]


def compare(first: bytes, others: bytes, ignored: bytes, least: float) -> list[tuple[float, float, float]]:
    """The share that the first has in common with each of the others, and how evenly it is spread over both."""
    one, rows = _row(first), np.frombuffer(others, _ROW)
    kept = np.frombuffer(ignored, np.uint8) == 0
    same = (rows["ranks"] == one["ranks"]) & (one["ranks"] != 0) & kept
    filled, ours = (rows["ranks"] != 0) & kept, (one["ranks"] != 0) & kept
    found = []
    for row, agreeing, theirs in zip(rows, same, filled, strict=True):
        shared = float(agreeing.sum() / max(1, (theirs | ours).sum()))
        spread = shared >= least
        here = _spread(one["places"], agreeing, ours) if spread else 0.0
        found.append((shared, here, _spread(row["places"], agreeing, theirs) if spread else 0.0))
    return found


def common(first: bytes, groups: Sequence[bytes], least: int) -> bytes:
    """The bins in which the first agrees with a signature of at least so many groups."""
    ranks = _row(first)["ranks"]
    agreeing = [((np.frombuffer(group, _ROW)["ranks"] == ranks) & (ranks != 0)).any(0) for group in groups]
    return bytes((np.sum(agreeing, axis=0, initial=0) >= least).astype(np.uint8).tobytes()) if groups else bytes(_BINS)


def apart(first: bytes, others: bytes) -> tuple[int, int, int]:
    """How many bins of the first are filled; in how many of these one of the others differs; and one agrees as well."""
    ranks, theirs = _row(first)["ranks"], np.frombuffer(others, _ROW)["ranks"]
    filled = ranks != 0
    differs = (filled & ((theirs > ranks) | (theirs == 0))).any(0)
    return int(filled.sum()), int(differs.sum()), int((differs & (theirs == ranks).any(0)).sum())


def _row(packed: bytes) -> Any:
    return np.frombuffer(packed, _ROW, 1)[0]


def _spread(places: _Array, same: _Array, filled: _Array) -> float:
    """How evenly the agreeing samples are spread among all samples of a text: 1 all over, 0.3 if in a third of it."""
    agreeing, present = _by_part(places, same), _by_part(places, filled)
    count = max(1, sum(agreeing))
    # Added in pairs.
    a, b, c, d, e, f, g, h = (
        min(float(one), count * all_of_part / max(1, sum(present)))
        for one, all_of_part in zip(agreeing, present, strict=True)
    )
    return (((a + b) + (c + d)) + ((e + f) + (g + h))) / count


def _by_part(places: _Array, chosen: _Array) -> list[int]:
    """How many of the chosen samples are in each part of their text."""
    return [int(count) for count in np.bincount(places[chosen] // (_PLACES // _PARTS), minlength=_PARTS)]


def _word_hashes(text: str, kinds: bytes) -> _Array:
    """A number for each word, without layout and punctuation."""
    codes = np.frombuffer(text.encode("utf-32-le"), "<u4")
    apart_ = np.frombuffer(kinds, np.uint8).take(codes, mode="clip") == _IS_APART
    edges = np.flatnonzero(np.diff(apart_, prepend=True, append=True))
    starts, ends = edges[::2], edges[1::2]
    sums = np.zeros(len(codes) + 1, np.uint64)
    np.cumsum(codes * _powers(_POWER, len(codes)), out=sums[1:])
    return (sums[ends] - sums[starts]) * _powers(_INVERSE, len(codes))[starts]


def _powers(of: int, count: int) -> _Array:
    return np.cumprod(np.full(count, of, np.uint64))
