"""Similarity of two texts by small signatures: samples of their word triples, with positions.

The shingles of a text (every three consecutive words) are hashed and distributed over `BINS` bins; the smallest hash
of a bin is kept with its position in the text (MinHash with one permutation). The share of these that two texts have in
common estimates the share of common shingles. The positions distinguish near-duplicates from texts that only share a
block: an edited copy agrees with its original all over, two pages of one site only in the site's header.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from veille.core.compiled import BUILT, native
from veille.core.text import UNSPACED_LETTERS, UNSPACED_SIGNS, visible

#: Shorter texts ("Loading …", a teaser) are similar by accident.
MIN_WORDS: Final = 30
#: Samples per text: two texts that share a fifth of their shingles agree in 51 ± 6 of them.
BINS: Final = 256
#: Samples in the index: two texts that share a fifth have one of these in common in 995 of 1,000 cases.
MARKS: Final = 24
#: Parts of a text whose agreement is judged separately.
PARTS: Final = 8

_Array = NDArray[Any]
_SHINGLE: Final = 3
# A hash has its bin in the top 8 bits, its rank in the next 32, the index of its shingle in the last 24.
_BIN_SHIFT, _RANK_SHIFT = np.uint64(56), np.uint64(24)
_RANK_MASK, _PLACE_MASK = np.uint64(0xFFFF_FFFF), np.uint64(0xFF_FFFF)
_KEEP: Final = np.uint64(0xFFFF_FFFF_FF00_0000)
_PLACES: Final = 256
_ROW: Final = np.dtype([("ranks", "<u4", (BINS,)), ("places", np.uint8, (BINS,))])
_EDGES: Final = np.arange(BINS, dtype=np.uint64) << _BIN_SHIFT
# Odd constants with well-spread bits (splitmix64's and similar): every bit of every word affects every bit.
_FACTORS: Final = tuple(
    np.uint64(factor) for factor in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93)
)
_FOLDS: Final = np.uint64(31), np.uint64(29)

# Word separators: white space and punctuation.
_APART: Final = re.compile(
    r"[\s\x00-/:-@\[-`{-\x7f\u00a1\u00ab\u00b7\u00bb\u00bf\u2010-\u205e\u3001-\u303f\uff00-\uff0f\uff1a-\uff20]+"
)
_UNSPACED: Final = re.compile(f"[{UNSPACED_SIGNS}]+|[{UNSPACED_LETTERS}]+")
_FIRST_LETTER, _LAST_LETTER = "\u0e00", "\u17ff"
# The last code point in the table of `_kinds`; higher ones get its kind: part of a word.
_LAST_CODE: Final = 0xFFFF
_IS_APART, _IS_UNSPACED = 1, 2
# Powers of a factor and of its inverse (mod 2 ** 64) make the sum over a word independent of its position.
_POWER: Final = 0x9E3779B97F4A7C15
_INVERSE: Final = pow(_POWER, -1, 1 << 64)


@dataclass(frozen=True, slots=True)
class Signature:
    """The stored form of a text for comparison: one rank and one place per bin; a rank of 0 is an empty bin."""

    ranks: _Array
    places: _Array

    def marks(self) -> list[int]:
        """The numbers that similar texts are likely to share, as index keys; deterministic for a text."""
        filled = np.flatnonzero(self.ranks)
        if len(filled) > MARKS:
            filled = filled[np.argpartition(self.ranks[filled], MARKS - 1)[:MARKS]]
        marks: list[int] = ((filled.astype(np.int64) << 32) | self.ranks[filled]).tolist()
        return marks

    def __bytes__(self) -> bytes:
        return bytes(self.ranks.astype("<u4").tobytes() + self.places.tobytes())


@dataclass(frozen=True, slots=True)
class Likeness:
    """The similarity of two texts: the share of all their shingles that both have.

    `first` and `second` are how evenly these are spread over each text: 1 if all over, 0.3 if in a third of it.
    """

    shared: float
    first: float
    second: float


def signature(text: str) -> Signature | None:
    """The signature of a text, the same on every machine; None if it is too short to be compared."""
    text = visible(text).lower()
    if not BUILT:
        return plain_signature(text)
    kinds = _kinds()
    if native.has_kind(text, kinds, _IS_UNSPACED):
        text = _UNSPACED.sub(_pieces, text)
    packed = native.sample(text, kinds, MIN_WORDS)
    return None if packed is None else from_bytes(packed)


def plain_signature(text: str) -> Signature | None:
    """The signature of a visible lower-case text: the reference for the compiled code."""
    hashes = _word_hashes(text)
    count = len(hashes) - _SHINGLE + 1
    if len(hashes) < MIN_WORDS:
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
    ranks = np.where(filled, np.maximum((least >> _RANK_SHIFT) & _RANK_MASK, 1), 0).astype(np.uint32)
    places = (least & _PLACE_MASK) * np.uint64(_PLACES) // np.uint64(count)
    return Signature(ranks, np.where(filled, places, 0).astype(np.uint8))


def from_bytes(packed: bytes) -> Signature:
    """The signature in these bytes."""
    return Signature(np.frombuffer(packed, "<u4", BINS), np.frombuffer(packed, np.uint8, BINS, BINS * 4))


def table(packed: Sequence[bytes]) -> _Array:
    """Many signatures as a table, for comparison with one: a row each, with its `ranks` and its `places`."""
    return np.frombuffer(b"".join(packed), _ROW)


def agreement(first: Signature, others: _Array) -> _Array:
    """The bins in which the first agrees with each of the others: a row of booleans for each."""
    return np.asarray((others["ranks"] == first.ranks) & (first.ranks != 0))


def likeness(first: Signature, others: _Array, least: float = 0.0, ignored: _Array | None = None) -> list[Likeness]:
    """The similarity of the first to each of the others, by the bins that are not ignored.

    The spread is computed only for texts that share at least `least`.
    """
    kept = np.ones(BINS, bool) if ignored is None else ~ignored
    same = agreement(first, others) & kept
    filled = (others["ranks"] != 0) & kept
    ours = (first.ranks != 0) & kept
    shared = same.sum(1) / np.maximum(1, (filled | ours).sum(1))
    likes = [Likeness(float(share), 0.0, 0.0) for share in shared]
    rows = np.flatnonzero(shared >= least)
    if len(rows):
        same = same[rows]
        places = np.broadcast_to(first.places, same.shape)
        of_first = _spread(places, same, np.broadcast_to(ours, same.shape))
        of_others = _spread(others["places"][rows], same, filled[rows])
        for row, one, other in zip(rows, of_first, of_others, strict=True):
            likes[row] = Likeness(float(shared[row]), float(one), float(other))
    return likes


def _spread(places: _Array, same: _Array, filled: _Array) -> _Array:
    """How evenly the agreeing samples are spread among all samples of a text: 1 all over, 0.3 if in a third of it."""
    agreeing, present = _by_part(places, same), _by_part(places, filled)
    count = np.maximum(1, agreeing.sum(1, keepdims=True))
    even = count * present / np.maximum(1, present.sum(1, keepdims=True))
    return np.asarray(np.minimum(agreeing, even).sum(1) / count[:, 0])


def _by_part(places: _Array, chosen: _Array) -> _Array:
    """How many of the chosen samples are in each part of their text."""
    rows = len(places)
    slots = (np.arange(rows) * PARTS)[:, None] + places // (_PLACES // PARTS)
    return np.bincount(slots[chosen], minlength=rows * PARTS).reshape(rows, PARTS)


def _word_hashes(text: str) -> _Array:
    """A number for each word, without layout and punctuation."""
    codes, kinds = _codes(text)
    if (kinds == _IS_UNSPACED).any():
        codes, kinds = _codes(_UNSPACED.sub(_pieces, text))
    edges = np.flatnonzero(np.diff(kinds == _IS_APART, prepend=True, append=True))
    starts, ends = edges[::2], edges[1::2]
    sums = np.zeros(len(codes) + 1, np.uint64)
    np.cumsum(codes * _powers(_POWER, len(codes)), out=sums[1:])
    return (sums[ends] - sums[starts]) * _powers(_INVERSE, len(codes))[starts]


def _codes(text: str) -> tuple[_Array, _Array]:
    """The code point of each character and its kind."""
    codes = np.frombuffer(text.encode("utf-32-le"), "<u4")
    return codes, _kinds().take(codes, mode="clip")


@cache
def _kinds() -> _Array:
    """The kind of every character in the table: part of a word, or one of the kinds above."""
    every = "".join(map(chr, range(_LAST_CODE + 1)))
    kinds = np.zeros(len(every), np.uint8)
    for kind, pattern in ((_IS_APART, _APART), (_IS_UNSPACED, _UNSPACED)):
        for found in pattern.finditer(every):
            kinds[slice(*found.span())] = kind
    return kinds


def _powers(of: int, count: int) -> _Array:
    return np.cumprod(np.full(count, of, np.uint64))


def _pieces(found: re.Match[str]) -> str:
    """A run of signs as overlapping pieces, each about as distinctive as a word."""
    run = found[0]
    size = 4 if _FIRST_LETTER <= run[0] <= _LAST_LETTER else 2
    return f" {' '.join(run[at : at + size] for at in range(max(1, len(run) - size + 1)))} "
