"""Sentences that answer a question by what they mean: in other words than it has, or in another language."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from veille.core.ask.addressed import is_addressed_to_a_machine
from veille.core.ask.choosing import Choice
from veille.core.ask.passages import Sentence, sentences_of
from veille.errors import ConfigError, SinkError
from veille.services.meaning.blending import Blending

if TYPE_CHECKING:
    from collections.abc import Callable

    from veille.core.ask.passages import AskPassage
    from veille.core.search.meaning import NearPiece
    from veille.ports import Dossiers
    from veille.ports.meaning import Embedders

#: Documents that are looked at, and sentences of each: every one is embedded.
_DOCUMENTS: Final = 4
_SENTENCES: Final = 10
#: A sentence with a smaller cosine is about something else: of questions about what a manual does not tell, 95 in 100
#: are further from all of it, and of those that it answers, 10 in 100 from their answer.
_LEAST: Final = 0.3
#: With a larger weight, meaning counts more than words: the question is in another language.
_HALF: Final = 0.5


class NearSentences:
    """Finds the sentences that are nearest to a question."""

    def __init__(self, dossiers: Dossiers, embedders: Embedders) -> None:
        self._blending = Blending(dossiers, embedders)
        self._embedders = embedders

    def joined(
        self, dossier_id: str, text: str, by_words: list[Choice], read: Callable[[str], AskPassage | None]
    ) -> list[Choice]:
        """What was chosen by words, with what is near: first if words say little, else in turns with it.

        `read` gives the current revision of a document.
        """
        try:
            near = self._blending.near(dossier_id, text, _DOCUMENTS)
            if near is None:
                return by_words
            sentences = [
                sentence
                for piece in near.pieces
                if piece.score >= _LEAST and (passage := read(piece.document_id)) is not None
                for sentence in _of_piece(passage, piece)
            ]
            vectors = self._embedders.embed(near.chosen.label, [one.text for one in sentences]) if sentences else []
        except (SinkError, ConfigError):
            # An embedder that cannot be used now is no reason to answer nothing.
            return by_words
        scored = [
            Choice(one, score=_cosine(near.vector, vector)) for one, vector in zip(sentences, vectors, strict=True)
        ]
        found = sorted((one for one in scored if one.score >= _LEAST), key=lambda one: -one.score)
        if near.chosen.weight > _HALF:
            return _once([*found, *by_words])
        # Of questions that people asked, a third more have their answer among the first three so than by words alone;
        # whichever begins, the first one is as often the answer.
        return _once([one for two in zip_longest(by_words, found) for one in two if one is not None])


def _once(choices: Iterable[Choice]) -> list[Choice]:
    """Each sentence once, where it is first."""
    found: dict[tuple[str, int], Choice] = {}
    for one in choices:
        found.setdefault(_place(one), one)
    return list(found.values())


def _of_piece(passage: AskPassage, piece: NearPiece) -> list[Sentence]:
    """The sentences of a piece; if it is the title, the first of the text."""
    every = sentences_of(passage)
    found = [one for one in every if one.start < piece.end and one.end > piece.start] if piece.end else every
    found = [one for one in found if not is_addressed_to_a_machine(one.text)]
    return found[:_SENTENCES]


def _place(choice: Choice) -> tuple[str, int]:
    return choice.newest.passage.revision_id, choice.newest.start


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    lengths = math.hypot(*one) * math.hypot(*other)
    return sum(map(operator.mul, one, other)) / lengths if lengths else 0.0
