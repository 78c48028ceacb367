"""Operations on what documents are about, and on what happened."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from veille.core.text import visible
from veille.errors import NotFoundError
from veille.interfaces.operations._limits import MAX_URL
from veille.interfaces.operations._operation import InDossier, Place, operation
from veille.interfaces.operations.shapes import Shape
from veille.services.analyse.analysing import AnalyseWish
from veille.services.analyse.popular import MOST_BRANDS, DigestEntry, DigestWish, since_of


class AnalyseDocuments(InDossier):
    """Which documents."""

    source_id: str | None = Field(None, max_length=MAX_URL, description="Only of this source.")
    limit: int = Field(100, ge=1, le=500, description="Maximum number; call again for the rest.")


class Analysed(Shape):
    """What was analysed, and what is left."""

    version: str = Field(description="The version of the rules, or of the prompt.")
    analysed: int
    by_model: int = Field(description="How many of them by the model.")
    instead: dict[str, int] = Field(
        description="How often rules took the place of the model, by the code of the reason."
    )
    waiting: int = Field(description="How many documents of the dossier still wait.")


class WhichAnalysis(InDossier):
    """The document."""

    document: str = Field(min_length=1, max_length=MAX_URL, description="Its id or address.")


class NamedInText(Shape):
    """A name in the text of a document."""

    text: str
    kind: str = Field(description="person, organisation or place; name if nothing tells.")
    count: int


class DocumentAnalysis(Shape):
    """What a document is about."""

    trust: Literal["untrusted"] = "untrusted"
    document_id: str
    extraction_id: str
    version: str = Field(description="The version of the rules, or of the prompt.")
    made_by: str = Field(description="`rules`, or the name of the model.")
    made_at: int
    code: str = Field(description="Why rules made it though there is a model; empty otherwise.")
    summary: str
    tone: float | None = Field(None, description="-1 (bad news) to 1 (good news); missing if nobody can tell.")
    tone_label: str
    keywords: list[str]
    topics: list[str]
    names: list[NamedInText]
    tags: list[str]
    popularity: float = Field(description="Its score, without its age.")
    why: list[str] = Field(description="The reasons for it in words, and its age.")


class WhichDigest(InDossier):
    """Which time, and of what."""

    since: str = Field("7d", max_length=40, description="From when on: 1d, 7d, 4w or a date.")
    source_id: str | None = Field(None, max_length=MAX_URL, description="Only of this source.")
    tag: str = Field("", max_length=100, description="Only what has this tag.")
    limit: int = Field(10, ge=1, le=100, description="Maximum number of stories.")


class StoryTold(Shape):
    """One thing that happened, by the document that tells it best."""

    place: int
    document_id: str
    story_id: str = Field(description="Empty if no other document tells it.")
    title: str
    url: str
    source_id: str
    source_name: str
    published_at: int | None = None
    changed_at: int
    summary: str
    summary_by: str = Field(description="`rules` or the name of a model; empty: its first sentences.")
    tone: str
    topics: list[str]
    tags: list[str]
    score: float
    why: list[str] = Field(description="Why it stands where it does.")


class WhatHappened(Shape):
    """What happened since a time, the most popular first."""

    trust: Literal["untrusted"] = "untrusted"
    since_at: int
    until_at: int
    documents: int = Field(description="How many were new or changed; at most 5000 are compared.")
    stories: int
    entries: list[StoryTold]
    brands: list[str] = Field(description="The names whose mention makes a document more popular.")


class SetBrands(InDossier):
    """The names."""

    brands: list[str] = Field(max_length=MOST_BRANDS, description="All of them; they replace the previous ones.")


class Brands(Shape):
    """The names whose mention makes a document more popular."""

    brands: list[str]


@operation("write", asks_outside=True)
def _analyse(place: Place, given: AnalyseDocuments) -> Analysed:
    """Say what new and changed documents are about: by the model, within its budget, else by rules."""
    source_id = place.reading.sources.find(given.source_id).id if given.source_id else ""
    service = place.services.analyses
    run = service.run(place.dossier_id, AnalyseWish(source_id=source_id, limit=given.limit))
    return Analysed.showing(run, waiting=service.counts(place.dossier_id).waiting)


@operation("read", untrusted=True)
def _get_analysis(place: Place, given: WhichAnalysis) -> DocumentAnalysis:
    """What a document is about: summary, tone, keywords, topics, names and tags; and how popular it is."""
    document_id = place.reading.records.find(given.document)
    made = place.reading.analyses.of([document_id]).get(document_id)
    if made is None:
        raise NotFoundError("This document was not analysed yet; veille_analyse does that.", code="not_analysed")
    found = made.analysis
    popular = place.services.popular
    _, why = popular.standings(place.dossier_id, [document_id])[document_id]
    return DocumentAnalysis.showing(
        made,
        extraction_id=made.revision_id,
        summary=visible(found.summary),
        tone=found.tone,
        tone_label=found.tone_word,
        keywords=list(map(visible, found.keywords)),
        topics=list(map(visible, found.topics)),
        names=[NamedInText(text=visible(name.text), kind=name.kind, count=name.count) for name in found.names],
        tags=list(map(visible, found.tags)),
        popularity=popular.of(place.dossier_id, [document_id])[document_id].score,
        why=list(map(visible, why)),
    )


@operation("read", untrusted=True)
def _digest(place: Place, given: WhichDigest) -> WhatHappened:
    """What happened since a time: the most popular stories, with summaries, and why each stands where it does."""
    source_id = place.reading.sources.find(given.source_id).id if given.source_id else ""
    wish = DigestWish(
        since=since_of(given.since, place.app.clock()), source_id=source_id, tag=given.tag, limit=given.limit
    )
    found = place.services.popular.digest(place.dossier_id, wish)
    return WhatHappened.showing(
        found,
        entries=list(map(_told, found.entries)),
        brands=list(place.services.popular.brands(place.dossier_id)),
    )


def _told(entry: DigestEntry) -> StoryTold:
    return StoryTold.showing(
        entry,
        title=visible(entry.title),
        source_name=visible(entry.source_name),
        summary=visible(entry.summary),
        topics=list(map(visible, entry.topics)),
        tags=list(map(visible, entry.tags)),
        why=list(map(visible, entry.why)),
    )


@operation("write")
def _set_brands(place: Place, given: SetBrands) -> Brands:
    """Set the names whose mention makes a document of a dossier more popular."""
    return Brands(brands=list(place.services.popular.set_brands(place.dossier_id, given.brands)))
