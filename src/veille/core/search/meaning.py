"""The nouns of search by meaning, and which embedder a question needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from veille.core.language.languages import language_of, script_of
from veille.core.search.fusion import FEW_FOUND, Blend, knows

#: How often a short question is repeated, so that its script decides.
_REPEATED: Final = 40


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The embedder for a question, and how much its vectors count beside words."""

    label: str
    name: str
    weight: float


def chosen_for(
    text: str, embedders: Mapping[KnownEmbedder, Blend], languages: Mapping[str, int], found_share: float
) -> Chosen | None:
    """The embedder that finds most for a question; None if none of them knows its language.

    `languages` says how many documents are in each, `found_share` how much of the question is in them as words.
    """
    common = max(languages, key=lambda one: languages[one], default="")
    asked = question_language(text)
    language = asked or common
    if found_share >= FEW_FOUND and language not in languages:
        # Its words are there: it was taken for another language.
        language = common
    elif found_share < FEW_FOUND and asked in languages:
        # It is in the language of documents, and asks in other words than these have.
        found_share = FEW_FOUND

    def worth(one: KnownEmbedder) -> float:
        # An embedder for one language is of little use if many documents are in others.
        covered = sum(count for lang, count in languages.items() if knows(one.languages, lang))
        share = covered / max(1, sum(languages.values()))
        return embedders[one].weight_for(language, found_share) * share**2

    best = max(embedders, key=worth, default=None)
    if best is None or not worth(best):
        return None
    return Chosen(label=best.label, name=best.name, weight=embedders[best].weight_for(language, found_share))


def question_language(text: str) -> str:
    """The language of a question; empty if it is too short to tell."""
    script = script_of(text)
    # A few letters of a script are enough if one language uses it.
    return language_of(text * _REPEATED if script else text)
