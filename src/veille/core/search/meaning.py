"""The nouns of search by meaning."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownEmbedder:
    """An embedder as a dossier knows it."""

    #: Of its vectors.
    name: str
    #: As it is called in the settings.
    label: str
    #: The languages it knows; None: all.
    languages: frozenset[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NearPiece:
    """The piece of a document that is nearest to a question."""

    document_id: str
    #: The cosine: 1 is the same.
    score: float
    #: Its place in the text of the current revision; both 0 for the title.
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MeaningCounts:
    """How far a dossier is with its pieces and vectors."""

    pieces: int = 0
    #: Documents that are still to be cut.
    uncut: int = 0
    #: By the name of the embedder.
    vectors: dict[str, int] = field(default_factory=dict)
    waiting: dict[str, int] = field(default_factory=dict)
