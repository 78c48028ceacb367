"""Sentences that answer a question by what they mean: in other words than it has, or in another language."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from veille.core.ask.addressed import stands_by_an_order
from veille.core.ask.choosing import Choice
from veille.core.ask.passages import Sentence, sentences_of
from veille.core.ask.scoring import leads_to_answers, may_answer
from veille.errors import ConfigError, SinkError
from veille.services.meaning.blending import Blending

if TYPE_CHECKING:
    from collections.abc import Callable

    from veille.core.ask.passages import AskPassage
    from veille.core.ask.question import AskedQuestion
    from veille.core.search.meaning import NearPiece
    from veille.ports import Dossiers
    from veille.ports.meaning import Embedders

#: Documents that are looked at, and sentences of each: every one is embedded.
_DOCUMENTS: Final = 4
_SENTENCES: Final = 10
#: How many sentences below a heading are as near as it.
_BELOW: Final = 2
#: "1.3." is a sentence of a table of contents.
_HAS_WORDS: Final = re.compile(r"[^\W\d_]{2}")
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
        self, dossier_id: str, question: AskedQuestion, by_words: list[Choice], read: Callable[[str], AskPassage | None]
    ) -> list[Choice]:
        """What was chosen by words, with what is near: first if words say little, else in turns with it.

        `read` gives the current revision of a document.
        """
        try:
            near = self._blending.near(dossier_id, question.text, _DOCUMENTS)
            if near is None:
                return by_words
            sentences = [
                sentence
                for piece in near.pieces
                if piece.score >= _LEAST and (passage := read(piece.document_id)) is not None
                for sentence in _of_piece(passage, piece)
            ]
            titles = list(dict.fromkeys(one.passage.title for one in sentences))
            texts = [*titles, *(one.text for one in sentences)]
            vectors = self._embedders.embed(near.chosen.label, texts) if texts else []
        except (SinkError, ConfigError):
            # An embedder that cannot be used now is no reason to answer nothing.
            return by_words
        scores = [_cosine(near.vector, vector) for vector in vectors]
        of_titles = dict(zip(titles, scores, strict=False))
        scored = list(zip(sentences, scores[len(titles) :], strict=True))
        near_enough = [
            Choice(one, score=score)
            for one, score in _answering(scored)
            # Where words find nothing, what is no nearer than the title is only about the same thing.
            if score >= (_LEAST if by_words else max(_LEAST, of_titles[one.passage.title]))
            and may_answer(question, one)
        ]
        found = sorted(near_enough, key=lambda one: -one.score)
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


def _answering(scored: Sequence[tuple[Sentence, float]]) -> list[tuple[Sentence, float]]:
    """The sentences without headings and questions; what stands below one is as near as it."""
    found, above, left, passage = [], 0.0, 0, None
    for sentence, score in scored:
        if sentence.passage is not passage:
            passage, left = sentence.passage, 0
        if leads_to_answers(sentence):
            above, left = score, _BELOW
        elif _HAS_WORDS.search(sentence.text):
            found.append((sentence, max(score, above) if left else score))
            left = max(left - 1, 0)
    return found or list(scored)


def _of_piece(passage: AskPassage, piece: NearPiece) -> list[Sentence]:
    """The sentences of a piece, and what is below it if it ends with a heading; if it is the title, the first ones."""
    every = sentences_of(passage)
    if not piece.end:
        return _for_people(every[:_SENTENCES])
    inside = [at for at, one in enumerate(every) if one.start < piece.end and one.end > piece.start][:_SENTENCES]
    below = range(inside[-1] + 1, inside[-1] + 2) if inside and leads_to_answers(every[inside[-1]]) else ()
    return _for_people([every[at] for at in (*inside, *below) if at < len(every)])


def _for_people(found: Sequence[Sentence]) -> list[Sentence]:
    return [one for one in found if not stands_by_an_order(one.passage.text, one.start, one.end)]


def _place(choice: Choice) -> tuple[str, int]:
    return choice.newest.passage.revision_id, choice.newest.start


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    lengths = math.hypot(*one) * math.hypot(*other)
    return sum(map(operator.mul, one, other)) / lengths if lengths else 0.0
