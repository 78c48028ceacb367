"""Results for clients: hits of a search, saved searches, and stories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

#: How many alerts of a saved search are kept; older ones are dropped.
KEPT_ALERTS: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One hit of a search. The snippet is HTML-safe: everything is escaped but `<mark>`."""

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
    #: Start and end of the piece that is nearest in meaning, in the text of the revision; both 0 for the title.
    piece: tuple[int, int] | None = None
    #: Why it stands where it does, if the popular ones come first.
    why: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """What a document is about, in lower case: topics, by its analysis; tags, by that, by its source and by rules."""

    topics: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ranking:
    """The hits of a search in order, without snippets."""

    hits: list[Hit]
    #: Whether there were too many matches, so that only the latest were ranked.
    is_cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedSearch:
    """A search that is saved under a name."""

    id: str
    name: str
    query: str
    created_at: int
    #: The sink that receives new hits; empty for none.
    sink: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchMade:
    """A search made by a client, and how many hits it had."""

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
    """A story in a list, represented by its first document."""

    #: Its position among others: when its last document arrived, and a number.
    place: tuple[int, int]
    id: str
    documents: int
    title: str
    url: str
    source_name: str

    @property
    def last_at(self) -> int:
        """When its last document arrived."""
        return self.place[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """Documents that report the same thing, the first one first."""

    id: str
    documents: tuple[StoryDocument, ...]
    #: How many there are, even if only the first were requested.
    total: int
