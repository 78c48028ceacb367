"""The nouns of search by meaning, and which embedder a question needs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from veille.core.language.languages import language_of, languages_in, script_of
from veille.core.search.endings import tongue
from veille.core.search.fusion import MOST_FOUND, Blend, knows
from veille.core.search.words import plain_words

#: How often a short question is repeated, so that its script decides.
_REPEATED: Final = 40
#: With fewer words, statistics take a question for one in a language that is like its own.
_TELLING_WORDS: Final = 10
#: This share of the documents is as good as all.
_NEARLY_ALL: Final = 0.9
#: Languages that two small words are enough for.
_BY_SMALL_WORDS: Final = frozenset("de en es fr it nl pt vi".split())
_WORD: Final = re.compile(r"[^\W\d_]+")
#: How much a title counts that is nearer than the text, if no other document has it, and if some have: see
#: docs/evaluation.md, *Search by meaning*.
OWN_TITLE, SHARED_TITLE = 0.65, 0.3


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
    #: That of its document, see `nearness`: 1 is the same.
    score: float
    #: Its place in the text of the current revision; both 0 for a title without a text.
    start: int
    end: int


def nearness(text: float, title: float | None, *, is_shared: bool = False) -> float:
    """How near a document is to a question, by the cosines of its nearest piece and of its title.

    A title that is nearer than the text adds to it: it says what all of the text is about. It says less if it is shared
    with other documents, as those of one chapter are, and never counts alone: they would all be equally near.
    """
    if title is None or title <= text:
        return text
    share = SHARED_TITLE if is_shared else OWN_TITLE
    return (1 - share) * text + share * title


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
class MeaningFlaws:
    """What does not fit together in the pieces and vectors of a dossier: nothing, unless its file was harmed."""

    #: Vectors that belong to no piece, and those that cannot be found.
    strays: int = 0
    #: Pieces that neither have a vector nor wait for one, counted for each embedder that knows their language.
    lost: int = 0
    #: Texts without pieces that do not wait to be cut.
    uncut: int = 0

    def __bool__(self) -> bool:
        return bool(self.strays or self.lost or self.uncut)


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
    language = question_language(text, languages)
    if languages.get(language, 0) >= _NEARLY_ALL * sum(languages.values()) > 0:
        # If few of its words are there, it asks in other words than documents in its language have.
        found_share = 1.0
    elif language in languages:
        # The answer may be in another language, the more likely the fewer of its words are there.
        pass
    elif language and found_share < MOST_FOUND:
        # Names, and words that languages have in common, are found across languages, too.
        found_share = 0.0
    else:
        # Nobody can tell; or its words are there, and it was taken for another language.
        language = _most_common(languages)

    words = len(plain_words(text))

    def worth(one: KnownEmbedder) -> float:
        # An embedder for one language is of little use if many documents are in others.
        covered = sum(count for lang, count in languages.items() if knows(one.languages, lang))
        share = covered / max(1, sum(languages.values()))
        return embedders[one].weight_for(language, found_share, words) * share**2

    best = max(embedders, key=worth, default=None)
    if best is None or not worth(best):
        return None
    return Chosen(label=best.label, name=best.name, weight=embedders[best].weight_for(language, found_share, words))


def question_language(text: str, languages: Mapping[str, int]) -> str:
    """The language of a question over documents in these languages; empty if it is too short to tell."""
    script = script_of(text)
    if script:
        # A few letters of a script are enough: few languages share it, and the documents may be in one of them.
        own = {name: count for name, count in languages.items() if name in languages_in(script)}
        if own or len(text.split()) < _TELLING_WORDS:
            return _most_common(own) or languages_in(script)[0]
        return language_of(f"{text} " * _REPEATED)
    found = tongue(_WORD.findall(text.lower()))
    if found in _BY_SMALL_WORDS:
        return found
    guessed = language_of(text)
    return guessed if guessed in languages or len(text.split()) >= _TELLING_WORDS else ""


def _most_common(languages: Mapping[str, int]) -> str:
    return max(languages, key=lambda one: languages[one], default="")
