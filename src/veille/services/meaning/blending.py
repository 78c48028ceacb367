"""Hits by meaning, and their place among the hits by words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from veille.core.search.fusion import DEPTH, fused
from veille.core.search.meaning import Chosen, KnownEmbedder, NearPiece, chosen_for
from veille.errors import ConfigError, NotFoundError, StoreError

if TYPE_CHECKING:
    from veille.core.search.answers import Hit
    from veille.core.search.query import Query
    from veille.ports import Dossiers, DossierStore
    from veille.ports.meaning import Allowed, Embedders

#: Longer questions are embedded up to here.
_LONGEST: Final = 2000
_HOW: Final = "switch it on with `veille vectors on` (it needs: pip install 'veille[vectors]'), or search by words."


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearby:
    """The pieces that are nearest to a question, and what they were found by."""

    pieces: tuple[NearPiece, ...]
    chosen: Chosen
    vector: tuple[float, ...]


class Blending:
    """Finds documents by meaning, and joins them with those found by words."""

    def __init__(self, dossiers: Dossiers, embedders: Embedders) -> None:
        self._dossiers = dossiers
        self._embedders = embedders

    def is_on(self, dossier_ids: Sequence[str]) -> bool:
        """Whether any of these dossiers is known by its meaning."""
        return bool(self._known(dossier_ids))

    def blended(
        self, dossier_ids: Sequence[str], asked: tuple[Query, str], words: Sequence[Hit], limit: int, *, by_words: bool
    ) -> list[Hit] | None:
        """The hits by meaning, joined with those by words if `by_words`; None if words are all that helps.

        `asked` is a query, and what of it is a question, as it was typed. By meaning alone there may be `limit` hits.
        """
        query, text = asked[0], asked[1][:_LONGEST]
        known = self._known(dossier_ids)
        if not known:
            raise ConfigError(f"Nothing here is known by its meaning: {_HOW}", code="no_vectors")
        chosen = self._chosen(known, text) if text.strip() else None
        if chosen is None:
            return None
        (vector,) = self._embedders.embed(chosen.label, [text])
        limit = DEPTH if by_words else max(DEPTH, limit)
        hits = {(hit.dossier_id, hit.document_id): hit for hit in words[:DEPTH]}
        found: dict[tuple[str, str], NearPiece] = {}
        for where in known:
            with self._dossiers.open(where) as store:
                near = store.meaning.nearest(chosen.name, vector, limit, _filter(store, query))
                if by_words:
                    seen = {one.document_id for one in near}
                    others = [name for at, name in hits if at == where and name not in seen]
                    near += store.meaning.likeness(chosen.name, vector, others)
                found |= {(where, one.document_id): one for one in near}
                missing = [one.document_id for one in near if (where, one.document_id) not in hits]
                hits |= {(where, hit.document_id): hit for hit in store.index.named(missing)}
        return _in_order(hits, words, found, chosen.weight if by_words else 1.0)

    def near(self, dossier_id: str, text: str, limit: int) -> Nearby | None:
        """The documents of a dossier that are nearest to a question; None if it is not known by meaning."""
        known, text = self._known([dossier_id]), text[:_LONGEST]
        chosen = self._chosen(known, text) if known and text.strip() else None
        if chosen is None:
            return None
        (vector,) = self._embedders.embed(chosen.label, [text])
        with self._dossiers.open(dossier_id) as store:
            pieces = store.meaning.nearest(chosen.name, vector, limit)
        return Nearby(pieces=tuple(pieces), chosen=chosen, vector=tuple(vector))

    def _known(self, dossier_ids: Sequence[str]) -> dict[str, list[KnownEmbedder]]:
        """The embedders of those of these dossiers that have any, and can be read now."""
        known: dict[str, list[KnownEmbedder]] = {}
        for dossier_id in dossier_ids:
            try:
                with self._dossiers.open(dossier_id) as store:
                    embedders = store.meaning.embedders()
            except (NotFoundError, StoreError):
                if len(dossier_ids) == 1:
                    raise
                continue
            if embedders:
                known[dossier_id] = embedders
        return known

    def _chosen(self, known: Mapping[str, list[KnownEmbedder]], text: str) -> Chosen | None:
        """The embedder for a question over these dossiers; None if none of them knows its language."""
        languages: Counter[str] = Counter()
        share = 0.0
        for dossier_id in known:
            with self._dossiers.open(dossier_id) as store:
                share = max(share, store.meaning.found_share(text))
                languages.update(store.meaning.languages())
        blends = {one: self._embedders.blend(one.label) for some in known.values() for one in some}
        return chosen_for(text, blends, languages, share)


def _filter(store: DossierStore, query: Query) -> Allowed | None:
    """What the filters of a query let pass, and no excluded word forbids; None if it has none."""
    filters = replace(query, groups=())
    return None if filters.is_empty else partial(store.index.matching, filters)


def _in_order(
    hits: dict[tuple[str, str], Hit], words: Sequence[Hit], found: dict[tuple[str, str], NearPiece], weight: float
) -> list[Hit]:
    names = {f"{where}/{document_id}": (where, document_id) for where, document_id in hits}
    by_words = [(f"{hit.dossier_id}/{hit.document_id}", hit.score) for hit in words]
    by_meaning = [(name, found[key].score) for name, key in names.items() if key in found]
    by_meaning.sort(key=lambda one: -one[1])
    ranked = fused(by_words, by_meaning, weight)
    told = []
    for name, score in ranked:
        if (key := names.get(name)) is not None:
            place = found.get(key)
            told.append(replace(hits[key], score=score, piece=(place.start, place.end) if place else None))
    seen = {(hit.dossier_id, hit.document_id) for hit in told}
    return told + [hit for hit in words if weight < 1 and (hit.dossier_id, hit.document_id) not in seen]
