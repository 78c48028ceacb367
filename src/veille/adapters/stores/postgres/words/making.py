"""New segments as they are stored: of texts, and of others. Compiled code makes them where there is some."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from veille.adapters.stores.postgres.words.chunks import POSTINGS, WORDS, WordChunk, chunks, joined
from veille.adapters.stores.postgres.words.segments import Documents, built, documents_of, living, merged, split
from veille.core.compiled import BUILT, native

if TYPE_CHECKING:
    from collections.abc import Sequence

    from veille.adapters.stores.database import Row
    from veille.adapters.stores.postgres.words.known import Mask
    from veille.adapters.stores.postgres.words.segments import Text


class StoredSegment(NamedTuple):
    """A segment as it is written."""

    documents: Documents
    chunks: Sequence[WordChunk]


class Mergeable(NamedTuple):
    """A segment that is to be merged."""

    documents: Documents
    #: Rows of its words, postings and places.
    chunks: list[Row]
    #: Which of its documents are not gone.
    alive: Mask


def made(index: str, texts: Sequence[Text]) -> StoredSegment:
    """The segment of these texts."""
    if not BUILT:
        return plain_made(index, texts)
    found = split(index, texts)
    return StoredSegment(documents_of(texts, found), [WordChunk(*one) for one in native.index_words(found, *_LIMITS)])


def plain_made(index: str, texts: Sequence[Text]) -> StoredSegment:
    """The reference for the compiled code."""
    segment = built(index, texts)
    return StoredSegment(segment.documents, list(chunks(segment)))


def remade(segments: Sequence[Mergeable]) -> StoredSegment:
    """One segment of several, without the documents that are gone."""
    if not BUILT:
        return plain_remade(segments)
    numbers, begun = [], 0
    for _, _, alive in segments:
        numbers.append(np.where(alive, np.cumsum(alive) - 1 + begun, -1).astype(np.int32))
        begun += int(alive.sum())
    parts = [(one.chunks, given) for one, given in zip(segments, numbers, strict=True)]
    found = [WordChunk(*one) for one in native.index_merge(parts, *_LIMITS)]
    return StoredSegment(living([one.documents for one in segments], [one.alive for one in segments]), found)


def plain_remade(segments: Sequence[Mergeable]) -> StoredSegment:
    """The reference for the compiled code."""
    whole = [joined(one.documents, one.chunks) for one in segments]
    segment = merged(whole, [one.alive for one in segments])
    return StoredSegment(segment.documents, list(chunks(segment)))


_LIMITS = WORDS, POSTINGS
