"""Merges segments, beside the writers: they wait only while the new one takes the place of the others."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from veille.adapters.stores.postgres._values import Bigints
from veille.adapters.stores.postgres.words.making import Mergeable, StoredSegment, remade
from veille.adapters.stores.postgres.words.store import FEW, FULL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from veille.adapters.stores.postgres.words.known import KnownSegments, Mask
    from veille.adapters.stores.postgres.words.rows import WordRows
    from veille.adapters.stores.postgres.words.store import WordIndex

#: Merging takes some 40 bytes of memory for each word.
_MOST_WORDS = 4_000_000
#: So many texts that are gone are not worth looking after.
_MARKS = 256

_ALONE = "SELECT pg_try_advisory_xact_lock(lock_of('words ' || CAST(dossier() AS text)))"
_OF_LEVELS = "SELECT id, name, level, tokens FROM word_segments ORDER BY level, id"
_WHOLE = "SELECT words, postings, places FROM word_chunks WHERE segment = ? ORDER BY first"
_FORGET = "DELETE FROM word_marks WHERE seq <= $1 AND NOT row = ANY ($2::bigint[])"


class _Sized(NamedTuple):
    id: int
    name: str
    level: int
    tokens: int


def merge(db: WordRows, index: WordIndex) -> None:
    """Merge what is to be merged, unless another program is at it."""
    with db.beside():
        if not db.value(_ALONE):
            return
        sizes = [_Sized(*row) for row in db.execute(_OF_LEVELS)]
        known = index.read()
        groups = _groups(sizes)
        gone = {one: ~known.marks.spare(documents) for one, documents in known.segments.items()}
        taken = {one for group in groups for one in group}
        names = {one.id: one.name for one in sizes}
        groups += [[one] for one in names if one not in taken and 2 * gone[one].sum() > len(gone[one])]
        if not groups:
            return
        new = [(names[group[0]], _merged(db, group, known, gone)) for group in groups]
        db.take_turn()
        replaced = [one for group in groups for one in group]
        db.send("DELETE FROM word_segments WHERE id = ANY ($1::bigint[])", (Bigints(np.array(replaced)),))
        db.send("DELETE FROM word_chunks WHERE segment = ANY ($1::bigint[])", (Bigints(np.array(replaced)),))
        for name, segment in new:
            if len(segment.documents.rows):
                index.insert(name, segment)
        if len(known.marks.rows) >= _MARKS:
            left = [documents.rows[gone[one]] for one, documents in known.segments.items() if one not in replaced]
            needed = np.unique(np.concatenate([np.empty(0, np.int64), *left]))
            db.send(_FORGET, (known.marks.seq, Bigints(needed)))


def _merged(db: WordRows, group: Sequence[int], known: KnownSegments, gone: Mapping[int, Mask]) -> StoredSegment:
    return remade([Mergeable(known.segments[one], db.execute(_WHOLE, (one,)), ~gone[one]) for one in group])


def _groups(sizes: Sequence[_Sized]) -> list[list[int]]:
    """Which segments become one: those of a level and all below, where there are many of a level."""
    found = []
    for name in {one.name for one in sizes}:
        levels: dict[int, list[_Sized]] = defaultdict(list)
        for one in sizes:
            if one.name == name and one.level < FULL:
                levels[one.level].append(one)
        full = [level for level, of in levels.items() if len(of) >= FEW or sum(one.tokens for one in of) >= _MOST_WORDS]
        if not full:
            continue
        group, tokens = [], 0
        for one in sizes:
            if one.name == name and one.level <= max(full) and tokens + one.tokens <= _MOST_WORDS * 2:
                group.append(one.id)
                tokens += one.tokens
        found.append(group)
    return found
