"""Segments of a full-text index: made from texts, and merged.

A segment has documents, which it numbers from 0, and for each word its postings: in which documents it is, how often in
the title and in the text, and at which places. It never changes. All of it are columns of numbers, so that numpy works
on them.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from veille.adapters.stores.postgres.words.queries import tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Row, title, text.
Text = tuple[int, str, str]
Numbers = npt.NDArray[np.int64]
Column = npt.NDArray[np.int32]


class Documents(NamedTuple):
    """The documents of a segment: the row of each, its length in words, and the segment that it was first in."""

    rows: Numbers
    lengths: Column
    born: Numbers


class Postings(NamedTuple):
    """Of some words, in their order: the number of a document, and how often the word is in its title and its text."""

    documents: Column
    titled: Column
    told: Column


class Segment(NamedTuple):
    """All of a segment."""

    documents: Documents
    words: list[str]
    #: How many postings each word has.
    counts: Column
    postings: Postings
    #: For each posting, places in the title and then in the text, each from 0.
    places: Column


def split(index: str, texts: Sequence[Text]) -> list[list[str]]:
    """The words of each title and of each text, in turns."""
    return [tokens(index, part) for _, title, text in texts for part in (title, text)]


def documents_of(texts: Sequence[Text], found: Sequence[Sequence[str]]) -> Documents:
    """The documents of a segment of these texts, which were split into these words."""
    size = np.fromiter(map(len, found), np.int32, len(found))
    rows = np.fromiter((row for row, _, _ in texts), np.int64, len(texts))
    return Documents(rows, size[::2] + size[1::2], np.empty(0, np.int64))


def built(index: str, texts: Sequence[Text]) -> Segment:
    """The segment of these texts."""
    found = split(index, texts)
    told_words = list(chain.from_iterable(found))
    words = sorted(set(told_words))
    # By functions that are compiled: words are many.
    rank = dict(zip(words, range(len(words)), strict=True))
    of_word = np.fromiter(map(rank.__getitem__, told_words), np.int32, len(told_words))
    size = np.fromiter(map(len, found), np.int32, len(found))
    cells = np.repeat(np.arange(len(found), dtype=np.int32), size)
    places = np.arange(len(of_word), dtype=np.int32) - np.repeat(starts_of(size), size)
    order = np.argsort(of_word, kind="stable")
    of_word, cells, places = of_word[order], cells[order], places[order]
    of_document = cells >> 1
    first = _changes(of_word, of_document)
    total = np.diff(np.append(first, len(of_word))).astype(np.int32)
    told = np.add.reduceat(cells & 1, first).astype(np.int32) if len(first) else np.empty(0, np.int32)
    return Segment(
        documents_of(texts, found),
        words,
        np.bincount(of_word[first], minlength=len(words)).astype(np.int32),
        Postings(of_document[first], total - told, told),
        places.astype(np.int32),
    )


def merged(segments: Sequence[Segment], alive: Sequence[npt.NDArray[np.bool_]]) -> Segment:
    """One segment of several, without the documents that are gone."""
    words = sorted(set().union(*(segment.words for segment in segments)))
    place = {word: at for at, word in enumerate(words)}
    of_words, postings, lengths, places = [], [], [], []
    begun = 0
    for segment, there in zip(segments, alive, strict=True):
        numbers = (np.cumsum(there, dtype=np.int32) - 1 + begun).astype(np.int32)
        begun += int(there.sum())
        ranks = np.fromiter((place[word] for word in segment.words), np.int32, len(segment.words))
        kept = there[segment.postings.documents]
        length = segment.postings.titled + segment.postings.told
        of_words.append(np.repeat(ranks, segment.counts)[kept])
        postings.append(Postings(numbers[segment.postings.documents], *segment.postings[1:]))
        postings[-1] = Postings(*(column[kept] for column in postings[-1]))
        lengths.append(length[kept])
        places.append(segment.places[np.repeat(kept, length)])
    of_word = np.concatenate(of_words)
    order = np.argsort(of_word, kind="stable")
    counts = np.bincount(of_word, minlength=len(words)).astype(np.int32)
    left = counts > 0
    return Segment(
        living([segment.documents for segment in segments], alive),
        [word for word, is_left in zip(words, left.tolist(), strict=True) if is_left],
        counts[left],
        Postings(*(np.concatenate(columns)[order] for columns in zip(*postings, strict=True))),
        _runs(np.concatenate(places), np.concatenate(lengths), order),
    )


def living(documents: Sequence[Documents], alive: Sequence[npt.NDArray[np.bool_]]) -> Documents:
    """The documents of several segments, without those that are gone."""
    return Documents(
        *(
            np.concatenate([column[there] for column, there in zip(columns, alive, strict=True)])
            for columns in zip(*documents, strict=True)
        )
    )


def starts_of(sizes: npt.NDArray[np.integer]) -> Numbers:
    """Where each of some runs of these sizes begins."""
    return np.cumsum(sizes, dtype=np.int64) - sizes


def _changes(*columns: Column) -> Numbers:
    """Where any of these columns has another value than before."""
    if not len(columns[0]):
        return np.empty(0, np.int64)
    changes = np.ones(len(columns[0]), bool)
    changes[1:] = False
    for column in columns:
        changes[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(changes)


def _runs(values: Column, sizes: Column, order: Numbers) -> Column:
    """Runs of values of these sizes, in another order."""
    starts, ordered = starts_of(sizes)[order], sizes[order]
    return values[np.repeat(starts - starts_of(ordered), ordered) + np.arange(len(values))]
