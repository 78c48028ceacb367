"""Segments as they are stored: in chunks, each the columns of some words that follow each other in the alphabet."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from veille.adapters.stores.postgres.words.segments import Column, Documents, Postings, Segment, starts_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: A chunk has at most so many words, and about so many postings unless one word has more: what a search for a rare word
#: reads of each segment in vain is a kilobyte or two.
WORDS, POSTINGS = 64, 2048
_TYPES = ("<u1", "<u2", "<u4", "<u8")
_LIMITS = (1 << 8, 1 << 16, 1 << 32)


class WordChunk(NamedTuple):
    """Some words of a segment as they are stored."""

    #: The first of them; of the first chunk, the empty word.
    first: str
    words: bytes
    postings: bytes
    places: bytes


def chunks(segment: Segment) -> Iterator[WordChunk]:
    """The segment as it is stored."""
    starts = np.append(starts_of(segment.counts), segment.counts.sum()).tolist()
    ends = np.append(0, np.cumsum(segment.postings.titled + segment.postings.told, dtype=np.int64)).tolist()
    counts, places = _Packing(segment.counts), _Packing(segment.places)
    columns = [_Packing(column) for column in segment.postings]
    at = 0
    while at < len(segment.words) or at == 0:
        end = _end(starts, at, len(segment.words))
        first, last = starts[at], starts[end]
        words = segment.words[at:end]
        yield WordChunk(
            words[0] if at else "",
            len(words).to_bytes(2, "little") + counts.part(at, end) + "\0".join(words).encode(),
            b"".join([column.part(first, last) for column in columns]),
            places.part(ends[first], ends[last]),
        )
        at = end
        if at >= len(segment.words):
            return


def dictionary(chunk: bytes) -> tuple[list[str], Column]:
    """The words of a chunk, and how many postings each has."""
    many = int.from_bytes(chunk[:2], "little")
    counts, at = unpacked(chunk, 2, many)
    return chunk[at:].decode().split("\0") if many else [], counts


def postings_of(chunk: bytes, many: int) -> Postings:
    """The postings of a chunk, which are so many."""
    documents, at = unpacked(chunk, 0, many)
    titled, at = unpacked(chunk, at, many)
    told, _ = unpacked(chunk, at, many)
    return Postings(documents, titled, told)


def packed(column: npt.NDArray[np.integer]) -> bytes:
    """Numbers from 0 on, in as few bytes each as the largest needs."""
    kind = bisect_right(_LIMITS, int(column.max())) if len(column) else 0
    return bytes((kind,)) + column.astype(_TYPES[kind]).tobytes()


class _Packing:
    """A column of which many parts are packed: where all numbers are small, they are so at once."""

    def __init__(self, column: npt.NDArray[np.integer]) -> None:
        is_small = not len(column) or int(column.max()) < _LIMITS[0]
        self._small = column.astype(_TYPES[0]) if is_small else None
        self._column = column

    def part(self, start: int, end: int) -> bytes:
        if self._small is not None:
            return b"\0" + self._small[start:end].tobytes()
        return packed(self._column[start:end])


def unpacked(data: bytes, at: int, many: int) -> tuple[Column, int]:
    """So many packed numbers, and where the next ones begin."""
    kind = _TYPES[data[at]]
    column = np.frombuffer(data, kind, many, at + 1)
    return column.astype(np.int32 if kind != "<u8" else np.int64), at + 1 + column.nbytes


def joined(documents: Documents, parts: Sequence[tuple[bytes, bytes, bytes]]) -> Segment:
    """The segment of all of its chunks, in their order."""
    words: list[str] = []
    counts, postings, places = [], [], []
    for part in parts:
        own, many = dictionary(part[0])
        words += own
        counts.append(many)
        postings.append(postings_of(part[1], int(many.sum())))
        total = int(postings[-1].titled.sum() + postings[-1].told.sum())
        places.append(unpacked(part[2], 0, total)[0])
    columns = (np.concatenate(column) for column in zip(*postings, strict=True))
    return Segment(documents, words, np.concatenate(counts), Postings(*columns), np.concatenate(places))


def _end(starts: Sequence[int], at: int, words: int) -> int:
    """Where the chunk ends that begins with this word."""
    enough = bisect_right(starts, starts[at] + POSTINGS) - 1
    return min(max(enough, at + 1), at + WORDS, words)
