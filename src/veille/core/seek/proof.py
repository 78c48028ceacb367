"""The proof of a change of a source: with it, the current answer gives what the source used to give."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from veille.core.change.reading import findings
from veille.core.change.source_patch import repaired
from veille.core.kinds import kind_of_source
from veille.core.models import Document, Json, Source
from veille.core.seek.candidates import LISTS, ProvenChange, Remembered
from veille.core.text import flat
from veille.core.traffic import Payload
from veille.errors import VeilleError

#: Fewer known entries may be found by chance.
_LEAST_KNOWN = 2
_WORD = re.compile(r"\w+")
_SAMPLE = 160


def proven(source: Source, payload: Payload, change: Json, before: Sequence[Remembered]) -> ProvenChange | None:
    """The change with its likeness to what was before; None if the answer cannot be read with it at all."""
    try:
        changed = repaired(source, change)
        kind = kind_of_source(changed)
        kind.check()
        request = next(iter(kind.start(changed)))
        documents = findings(changed, request, payload).documents
    except (VeilleError, StopIteration):
        return None
    if not documents:
        return None
    if source.kind in LISTS:
        return ProvenChange(
            change=change, likeness=_known_share(documents, before), sample=documents[0].title[:_SAMPLE]
        )
    found = max((likeness(one.text, documents[0].text) for one in before), default=0.0)
    return ProvenChange(change=change, likeness=found, sample=flat(documents[0].text)[:_SAMPLE])


def likeness(one: str, other: str) -> float:
    """How much of both texts is the same, from 0 to 1: pairs of neighbouring words, or words where there are few."""
    mine, theirs = _grams(one), _grams(other)
    total = sum(mine.values()) + sum(theirs.values())
    return 2 * sum((mine & theirs).values()) / total if total else 0.0


def grams(words: Sequence[str]) -> list[tuple[str, ...]]:
    """The pairs of neighbouring words."""
    return list(pairwise(words))


def words_of(text: str) -> list[str]:
    """The words of a text, as they are compared."""
    return _WORD.findall(text.casefold())


def _grams(text: str) -> Counter[tuple[str, ...]]:
    words = words_of(text)
    return Counter(grams(words) if len(words) > 1 else [(word,) for word in words])


def _known_share(documents: Sequence[Document], before: Sequence[Remembered]) -> float:
    """The share of entries that were known before, of as many as could be."""
    titles, urls = {flat(one.title) for one in before if one.title}, {one.url for one in before}
    known = sum(flat(one.title) in titles or one.url in urls for one in documents)
    if known < min(_LEAST_KNOWN, len(before)) or len({one.title for one in documents}) < min(_LEAST_KNOWN, len(before)):
        return 0.0
    return known / min(len(documents), len(before))
