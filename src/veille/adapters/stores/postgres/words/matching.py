"""Which documents match a query, and how well: BM25 with the numbers of FTS5, over the postings of all segments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from veille.adapters.stores.postgres.words.queries import Query, WordPhrase, wanted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from veille.adapters.stores.postgres.words.segments import Column, Numbers

#: As in FTS5.
_K1, _B = 1.2, 0.75
_RAREST = 1e-6
#: Of a key of a place: the bits of the place, and one for the text, which is not the title.
_PLACE_BITS = 32


class Collection(NamedTuple):
    """The documents of all segments of an index, numbered through."""

    rows: Numbers
    lengths: Column
    #: Which of them are not gone.
    alive: npt.NDArray[np.bool_]
    #: How many those are, and how long on average.
    total: int
    mean: float


class Occurrences(NamedTuple):
    """Where a word is: numbers of documents, in their order, and how often in the title and in the text."""

    documents: Numbers
    titled: Column
    told: Column
    #: Of phrases only, for each posting: places in the title, and then in the text.
    places: Column | None = None


class PhraseCounts(NamedTuple):
    """In which documents a phrase is, in their order, and how often in the title and in the text."""

    documents: Numbers
    titled: npt.NDArray[np.float64]
    told: npt.NDArray[np.float64]


def counted(phrase: WordPhrase, look: Callable[[str, bool], Sequence[Occurrences]], known: Collection) -> PhraseCounts:
    """How often each document that is not gone has a phrase."""
    if not phrase.words:
        return _gathered([], known)
    if len(phrase.words) == 1:
        return _gathered(look(phrase.words[0], phrase.is_begun), known)
    last = len(phrase.words) - 1
    keys = [_keys(look(word, phrase.is_begun and at == last)) - at for at, word in enumerate(phrase.words)]
    # The rarest first: the others are only asked for what it leaves.
    keys.sort(key=len)
    begins = keys[0]
    for others in keys[1:]:
        begins = begins[_among(begins, others)]
    column = begins >> _PLACE_BITS
    documents, is_told = column >> 1, column & 1
    found = Occurrences(documents, (1 - is_told).astype(np.int32), is_told.astype(np.int32))
    return _gathered([found], known)


def matching(query: Query, counts: Mapping[WordPhrase, PhraseCounts], known: Collection) -> npt.NDArray[np.bool_]:
    """Which documents match."""
    if isinstance(query, WordPhrase):
        found = np.zeros(len(known.rows), bool)
        found[counts[query].documents] = True
        return found
    first, second = (matching(of, counts, known) for of in (query.first, query.second))
    if query.operator == "OR":
        return first | second
    return first & second if query.operator == "AND" else first & ~second


def scored(
    query: Query, counts: Mapping[WordPhrase, PhraseCounts], known: Collection, title_weight: float
) -> tuple[Numbers, npt.NDArray[np.float64]]:
    """The rows of the documents that match, and the score of each."""
    scores = np.zeros(len(known.rows))
    for phrase in wanted(query):
        documents, titled, told = counts[phrase]
        if not len(documents):
            continue
        often = titled * title_weight + told
        rarity = np.log((known.total - len(documents) + 0.5) / (len(documents) + 0.5))
        length = _K1 * (1 - _B + _B * known.lengths[documents] / known.mean)
        scores[documents] += max(rarity, _RAREST) * (often * (_K1 + 1) / (often + length))
    found = np.flatnonzero(matching(query, counts, known))
    return known.rows[found], scores[found]


def _gathered(parts: Sequence[Occurrences], known: Collection) -> PhraseCounts:
    titled: npt.NDArray[Any]
    told: npt.NDArray[Any]
    if len(parts) == 1 and _is_rising(parts[0].documents):
        ((documents, titled, told, _),) = parts
    elif parts:
        every = np.concatenate([part.documents for part in parts])
        documents = np.unique(every)
        at = np.searchsorted(documents, every)
        titled, told = (
            np.bincount(at, np.concatenate([part[column] for part in parts]), len(documents)) for column in (1, 2)
        )
    else:
        documents = titled = told = np.empty(0, np.int64)
    there = known.alive[documents]
    if not there.all():
        documents, titled, told = documents[there], titled[there], told[there]
    return PhraseCounts(documents, titled.astype(np.float64), told.astype(np.float64))


def _is_rising(documents: Numbers) -> bool:
    return bool((documents[1:] > documents[:-1]).all())


def _keys(parts: Sequence[Occurrences]) -> Numbers:
    """A number for each occurrence, in their order: document, title or text, place."""
    found = []
    for documents, titled, told, places in parts:
        cells = np.empty(2 * len(documents), np.int64)
        cells[::2], cells[1::2] = 2 * documents, 2 * documents + 1
        sizes = np.empty(2 * len(documents), np.int64)
        sizes[::2], sizes[1::2] = titled, told
        assert places is not None  # noqa: S101 - they are read for phrases
        # Room below: the beginning of a phrase may be counted back before the first place, and must not reach another.
        found.append((np.repeat(cells, sizes) << _PLACE_BITS) + places + (1 << (_PLACE_BITS - 1)))
    keys = np.concatenate(found) if found else np.empty(0, np.int64)
    return np.sort(keys) if len(found) > 1 else keys


def _among(some: Numbers, others: Numbers) -> npt.NDArray[np.bool_]:
    """Which of some numbers are among others, which are sorted."""
    if not len(others):
        return np.zeros(len(some), bool)
    at = np.searchsorted(others, some)
    at[at == len(others)] = 0
    return np.equal(others[at], some)
