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
    #: When it was published, or else changed.
    dated_at: int


@dataclass(frozen=True, slots=True)
class Ranking:
    """The hits of a search in order, without snippets."""

    hits: list[Hit]
    #: Whether so many match that only those that came last were ranked.
    is_cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedSearch:
    """A search that is kept under a name."""

    id: str
    name: str
    query: str
    created_at: int
    #: The sink that is handed what it newly finds; empty: none.
    sink: str = ""


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


@dataclass(frozen=True, slots=True)
class StoryLine:
    """A story in a list: by the document that was there first."""

    #: Where it stands among others: when the last of its documents came, and a number.
    place: tuple[int, int]
    id: str
    documents: int
    title: str
    url: str
    source_name: str

    @property
    def last_at(self) -> int:
        """When the last of its documents came."""
        return self.place[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """Documents that tell the same thing, the one that was there first at the head."""

    id: str
    documents: tuple[StoryDocument, ...]
    #: How many there are, also where only the first were asked for.
    total: int
