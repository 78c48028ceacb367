"""What is given to those who ask: hits of a search, searches that are kept, and stories."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One answer of a search. The snippet is HTML-safe: everything is escaped but `<mark>`."""

    dossier_id: str
    document_id: str
    revision_id: str
    source_id: str
    source_name: str
    kind: str
    url: str
    title: str
    snippet: str
    lang: str
    score: float
    changed_at: int
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedSearch:
    """A search that is kept under a name."""

    id: str
    name: str
    query: str
    created_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchMade:
    """A search that was made from outside, and how much it found."""

    id: str
    query: str
    result_count: int
    searched_at: int


@dataclass(frozen=True, slots=True)
class StoryDocument:
    """One of the documents of a story."""

    document_id: str
    url: str
    title: str
    source_id: str
    source_name: str
    state: str
    joined_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """Documents that tell the same thing, the one that was there first at the head."""

    id: str
    documents: tuple[StoryDocument, ...]
