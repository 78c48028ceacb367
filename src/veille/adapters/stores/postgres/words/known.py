"""What a process knows of the segments of a dossier: their documents, and which of these are gone.

Segments never change, and what is gone stays gone; so all of it is kept, and only news are read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from veille.adapters.stores.postgres.words.chunks import packed, unpacked
from veille.adapters.stores.postgres.words.matching import Collection
from veille.adapters.stores.postgres.words.segments import Documents

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from veille.adapters.stores.postgres.words.segments import Numbers

Mask = npt.NDArray[np.bool_]
_NONE = np.empty(0, np.int64)


class GoneTexts(NamedTuple):
    """Texts that are gone: rows, in their order, and the last segment that a gone text of each was first in."""

    rows: Numbers
    born: Numbers
    #: The number of the last of them.
    seq: int

    def with_more(self, more: Sequence[tuple[int, int, int]]) -> GoneTexts:
        """With more of them: row, segment, number."""
        if not more:
            return self
        rows, born, seq = np.array(more, np.int64).T
        rows, born = np.append(self.rows, rows), np.append(self.born, born)
        order = np.lexsort((born, rows))
        rows, born = rows[order], born[order]
        last = np.append(rows[1:] != rows[:-1], [True])
        return GoneTexts(rows[last], born[last], int(seq.max()))

    def spare(self, documents: Documents) -> Mask:
        """Which of these documents are not gone."""
        if not len(self.rows):
            return np.ones(len(documents.rows), bool)
        at = np.searchsorted(self.rows, documents.rows)
        at[at == len(self.rows)] = 0
        return np.not_equal(self.rows[at], documents.rows) | np.greater(documents.born, self.born[at])


class KnownSegments(NamedTuple):
    """The segments by their numbers, with what is known to be gone."""

    segments: Mapping[int, Documents]
    marks: GoneTexts


NOTHING = KnownSegments({}, GoneTexts(_NONE, _NONE, 0))


def collected(segments: Sequence[int], known: KnownSegments) -> tuple[Collection, dict[int, int]]:
    """The documents of these segments, numbered through, and where those of each begin."""
    found = [known.segments[one] for one in segments] or [Documents(_NONE, _NONE.astype(np.int32), _NONE)]
    rows, lengths, born = (np.concatenate(column) for column in zip(*found, strict=True))
    alive = known.marks.spare(Documents(rows, lengths, born))
    total = int(alive.sum())
    mean = float(lengths[alive].sum(dtype=np.int64)) / total if total else 1.0
    begins = np.cumsum([0, *(len(one.rows) for one in found)]).tolist()
    return Collection(rows, lengths, alive, total, mean or 1.0), dict(zip(segments, begins, strict=False))


def stored(documents: Documents) -> bytes:
    """The documents as they are stored."""
    born = packed(documents.born) if len(documents.born) else b""
    return packed(documents.rows) + packed(documents.lengths) + born


def read(segment: int, many: int, data: bytes) -> Documents:
    """The documents of a segment; if it was never merged, they were first in it."""
    rows, at = unpacked(data, 0, many)
    lengths, at = unpacked(data, at, many)
    born = unpacked(data, at, many)[0].astype(np.int64) if at < len(data) else np.full(many, segment, np.int64)
    return Documents(rows.astype(np.int64), lengths, born)
