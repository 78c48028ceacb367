"""Operations that search the documents of a dossier, and that help with a search."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from veille.core.search.question import SearchMode, SearchOrder
from veille.core.text import visible
from veille.interfaces.operations import shapes
from veille.interfaces.operations._operation import InDossier, Place, operation
from veille.interfaces.operations.shapes import Shape
from veille.services.reading.asking import MAX_QUESTION

_MODE = "By words, by meaning, or by both. Default: both for questions, if search by meaning is on."


class Search(InDossier):
    """The search query."""

    query: str = Field(
        max_length=MAX_QUESTION,
        description='Words, "phrases", -not, OR, prefix*, source:NAME, topic:NAME, tag:NAME, after:7d.',
    )
    limit: int = Field(20, ge=1, le=1000, description="Maximum number.")
    order: SearchOrder = Field("best", description="Which come first: the best, the newest, or the most popular.")
    mode: SearchMode | None = Field(None, description=_MODE)


class SpellSearch(InDossier):
    """The search query."""

    query: str = Field(max_length=MAX_QUESTION, description="As it was typed.")


class SearchFacets(InDossier):
    """The search query."""

    query: str = Field(max_length=MAX_QUESTION, description="As for a search.")
    mode: SearchMode | None = Field(None, description=_MODE)


class Suggestion(Shape):
    """What may be meant by a search."""

    query: str = Field(description="Empty if there seem to be no typing errors.")


class SearchFacet(Shape):
    """One value by which the hits of a search can be narrowed."""

    name: str = Field(description="The filter: source, kind, lang, topic, tag or after.")
    label: str = Field(description="The value, as people read it.")
    count: int = Field(description="How many of the first 500 hits have it.")
    query: str = Field(description="The query with this filter; without it if it is chosen already.")
    chosen: bool


class Facets(Shape):
    """What the hits of a search have in common."""

    trust: Literal["untrusted"] = "untrusted"
    facets: list[SearchFacet]


@operation("read", untrusted=True)
def _search(place: Place, given: Search) -> list[shapes.SearchHit]:
    """Find documents of a dossier by words, or with an answer to a question; the best first."""
    hits = place.services.searches.search(
        [place.dossier_id], given.query, given.limit, order=given.order, mode=given.mode
    )
    if given.query.strip():
        place.services.search_log.note(place.dossier_id, given.query, len(hits))
    return [shapes.SearchHit.of(hit, place.reading.records.revision(hit.document_id).text) for hit in hits]


@operation("read", untrusted=True)
def _did_you_mean(place: Place, given: SpellSearch) -> Suggestion:
    """The query of a search with typing errors corrected, by the words that documents of the dossier have."""
    return Suggestion(query=place.services.searches.suggestion([place.dossier_id], given.query))


@operation("read", untrusted=True)
def _search_facets(place: Place, given: SearchFacets) -> Facets:
    """What the hits of a search have in common: sources, languages, topics, tags, dates, with narrower queries."""
    return Facets(
        facets=[
            SearchFacet(
                name=facet.name,
                label=visible(one.label),
                count=one.count,
                query=visible(one.text),
                chosen=one.is_chosen,
            )
            for facet in place.services.searches.facets([place.dossier_id], given.query, given.mode)
            for one in facet.choices
        ]
    )
