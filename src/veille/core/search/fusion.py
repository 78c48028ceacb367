"""Hits by words and hits by meaning made into one order.

The scores of both lists are made comparable by how far they are above the mean of their list, in standard deviations,
and added with a weight. The weight belongs to the embedder: a good one deserves half, a middling one a third, and none
where it does not know the language. Adding by ranks instead (as many do) loses wherever one of both lists is poor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean
from typing import Final

Scored = Sequence[tuple[str, float]]

#: The best of each list that are compared; weights were measured with these.
DEPTH: Final = 100
#: With less than this share of the words of a question in the index (rare ones count more), it is likely to be in
#: another language than the documents; with more than that, it is in their language, whatever it looks like.
FEW_FOUND: Final = 0.4
MOST_FOUND: Final = 0.75
#: A question of up to so many words is rather a heading or a topic: words have little to go by.
FEW_WORDS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Blend:
    """How much the vectors of an embedder count beside words: chosen on public sets, see docs/evaluation.md."""

    #: Beside words, for questions in the language of the documents.
    weight: float = 0.3
    #: For questions in another language than the documents; 0: it does not know what translations have in common,
    #: and counts half if that may be so.
    across: float = 0.0
    #: Beside words, for few words in the language of the documents; 0: as for questions.
    few_words: float = 0.0
    #: The languages it knows; None: all.
    languages: frozenset[str] | None = None

    def knows(self, language: str) -> bool:
        """Whether texts in a language are worth embedding."""
        return knows(self.languages, language)

    def weight_for(self, language: str, found_share: float, words: int = FEW_WORDS + 1) -> float:
        """The weight for a question in a language, with this share of its words in the index, and so many words."""
        if not self.knows(language):
            return 0.0
        weight = self.few_words if self.few_words and words <= FEW_WORDS else self.weight
        certainty = min(max((found_share - FEW_FOUND) / (MOST_FOUND - FEW_FOUND), 0.0), 1.0)
        otherwise = self.across or weight / 2
        return weight * certainty + otherwise * (1 - certainty)


def knows(languages: frozenset[str] | None, language: str) -> bool:
    """Whether a language is one of these; so is one that nobody knows. None stands for all."""
    return not language or languages is None or language in languages


def fused(words: Scored, meaning: Scored, weight: float) -> list[tuple[str, float]]:
    """The best of both lists as one, the best first. `weight` is that of `meaning`, from 0 (words alone) to 1.

    Scores further down a list are used for what is among the best of the other.

    >>> [name for name, _ in fused([("a", 3.0), ("b", 1.0)], [("b", 0.9), ("c", 0.1)], 0.5)]
    ['b', 'a', 'c']
    """
    if not weight or not meaning:
        return list(words)
    if weight == 1 or not words:
        return list(meaning)
    names = list(dict.fromkeys(name for name, _ in (*words[:DEPTH], *meaning[:DEPTH])))
    by_words = _above_mean(words, len(names))
    by_meaning = _above_mean(meaning, len(names), is_whole=True)
    total = {name: (1 - weight) * by_words(name) + weight * by_meaning(name) for name in names}
    # Equal ones stay in the order of their words.
    return sorted(total.items(), key=lambda one: -one[1])


class _above_mean:  # noqa: N801 - it is called
    """How far a score is above the mean of the best of its list, in standard deviations."""

    def __init__(self, scored: Scored, among: int, *, is_whole: bool = False) -> None:
        self._scores = dict(scored)
        values = [score for _, score in scored[:DEPTH]]
        # A short list has all documents with any of the words: the others score nothing. In a long one they score
        # less than its last.
        is_short = not is_whole and len(values) < DEPTH
        self._missing = 0.0 if is_short else min(values)
        if is_short:
            values += [0.0] * (min(among, DEPTH) - len(values))
        self._mean = fmean(values)
        # `pstdev` computes with fractions: half a millisecond.
        self._spread = sqrt(fmean((value - self._mean) ** 2 for value in values)) or 1.0

    def __call__(self, name: str) -> float:
        return (self._scores.get(name, self._missing) - self._mean) / self._spread
