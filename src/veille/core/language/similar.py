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
from types import ModuleType
from typing import Final

from veille.core.compiled import BUILT, native
from veille.core.text import UNSPACED_LETTERS, UNSPACED_SIGNS, visible

#: Shorter texts ("Loading …", a teaser) are similar by accident.
MIN_WORDS: Final = 30
#: Samples per text: two texts that share a fifth of their shingles agree in 51 ± 6 of them.
BINS: Final = 256
#: Samples in the index: two texts that share a fifth have one of these in common in 995 of 1,000 cases.
MARKS: Final = 24

# Word separators: white space and punctuation.
_APART: Final = re.compile(
    r"[\s\x00-/:-@\[-`{-\x7f\u00a1\u00ab\u00b7\u00bb\u00bf\u2010-\u205e\u3001-\u303f\uff00-\uff0f\uff1a-\uff20]+"
)
_UNSPACED: Final = re.compile(f"[{UNSPACED_SIGNS}]+|[{UNSPACED_LETTERS}]+")
_FIRST_LETTER, _LAST_LETTER = "\u0e00", "\u17ff"
# The last code point in the table of `kinds_of_signs`; higher ones get its kind: part of a word.
_LAST_CODE: Final = 0xFFFF
IS_APART, IS_UNSPACED = 1, 2


@dataclass(frozen=True, slots=True)
class Signature:
    """The stored form of a text for comparison: one rank and one place per bin; a rank of 0 is an empty bin.

    In bytes: the ranks, four bytes each, then the places, one byte each.
    """

    packed: bytes

    def marks(self) -> list[int]:
        """The numbers that similar texts are likely to share, as index keys; deterministic for a text."""
        return native.marks(self.packed, MARKS) if BUILT else _plain().marks(self.packed, MARKS)

    def __bytes__(self) -> bytes:
        return self.packed


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
    kinds = kinds_of_signs()
    if native.has_kind(text, kinds, IS_UNSPACED) if BUILT else _UNSPACED.search(text):
        text = _UNSPACED.sub(_pieces, text)
    packed = native.sample(text, kinds, MIN_WORDS) if BUILT else _plain().sample(text, kinds, MIN_WORDS)
    return None if packed is None else Signature(packed)


def likeness(first: Signature, others: Sequence[bytes], least: float = 0.0, ignored: bytes = b"") -> list[Likeness]:
    """The similarity of the first to each of the others, by the bins that are not ignored (a byte each, 0 or 1).

    The spread is computed only for texts that share at least `least`.
    """
    compare = native.compare if BUILT else _plain().compare
    return [Likeness(*like) for like in compare(first.packed, b"".join(others), ignored or bytes(BINS), least)]


def common_bins(first: Signature, groups: Sequence[Sequence[bytes]], least: int) -> bytes:
    """The bins in which the first agrees with a signature of at least so many groups: a byte each, 0 or 1."""
    common = native.common if BUILT else _plain().common
    return common(first.packed, [b"".join(group) for group in groups], least)


def bins_apart(first: Signature, others: Sequence[bytes]) -> tuple[int, int, int]:
    """How many bins of the first are filled; in how many of these one of the others differs; and one agrees as well.

    A smaller rank of another proves nothing: it may hide the shingle of the first in the same bin.
    """
    return (native.apart if BUILT else _plain().apart)(first.packed, b"".join(others))


@cache
def kinds_of_signs() -> bytes:
    """The kind of every character in the table: part of a word, or one of the kinds above."""
    every = "".join(map(chr, range(_LAST_CODE + 1)))
    kinds = bytearray(len(every))
    for kind, pattern in ((IS_APART, _APART), (IS_UNSPACED, _UNSPACED)):
        for found in pattern.finditer(every):
            kinds[slice(*found.span())] = bytes([kind]) * len(found[0])
    return bytes(kinds)


def _pieces(found: re.Match[str]) -> str:
    """A run of signs as overlapping pieces, each about as distinctive as a word."""
    run = found[0]
    size = 4 if _FIRST_LETTER <= run[0] <= _LAST_LETTER else 2
    return f" {' '.join(run[at : at + size] for at in range(max(1, len(run) - size + 1)))} "


def _plain() -> ModuleType:
    """The same without the compiled code."""
    from veille.core.language import plain_similar  # noqa: PLC0415 - numpy takes its time to load

    return plain_similar
