"""Whether words and meaning together find as much as they should: told for each set and each language.

Where the embedder knows the language, both are to find more than the better one of words and meaning; where it does
not, as much as words. Sets are only to lose nothing for a reason that is measured on them, and told beside them:

- their documents have no titles, which count beside the texts, for words and for meaning;
- words find so little beside meaning that they have next to nothing to add, as in another language.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.sets import QuestionSet, empty_share, ndcg
from veille.core.search.question import SearchMode
from veille.search import rank

#: The ways of ranking; all but the first need the extra `vectors`.
MODES: tuple[SearchMode, ...] = ("words", "meaning", "both")
#: How much more both are to find than the better one, and how much less is no loss; nDCG@10.
GAIN, LOSS = 0.02, 0.005
#: The largest share of questions that may have no hit.
EMPTY = 0.01
#: What no embedder of ours knows well.
UNKNOWN = frozenset({"el", "hi", "vi"})
#: With a smaller share of what meaning finds, words have next to nothing to add.
_LITTLE = 0.6
MET, NOT_MET = "met", "NOT MET"
HEAD = "set     language    questions  words  meaning   both   gained  empty  asked for"


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured: nDCG@10 of each way of ranking, and the share of questions that both leave without a hit."""

    words: float
    meaning: float
    both: float
    empty: float
    questions: int
    has_titles: bool = True

    @property
    def gained(self) -> float:
        """How much more both find than the better one."""
        return self.both - max(self.words, self.meaning)


def measured(sets: Sequence[QuestionSet]) -> Figures:
    """The means over these sets."""
    ranked = {mode: [rank(one.documents, one.questions, mode) for one in sets] for mode in MODES}
    words, meaning, both = (
        statistics.mean(ndcg(found, one.answers) for found, one in zip(ranked[mode], sets, strict=True))
        for mode in MODES
    )
    return Figures(
        words=words,
        meaning=meaning,
        both=both,
        empty=statistics.mean(map(empty_share, ranked["both"])),
        questions=sum(len(one.questions) for one in sets),
        has_titles=any(title for one in sets for _, title, *_ in one.documents),
    )


def line(name: str, pair: str, figures: Figures) -> str:
    """A line of the table below `HEAD`: a set in one language, or in two (`de>en`), what is asked of it, is it met."""
    if any(lang[:2] in UNKNOWN for lang in pair.split(">")):
        asked, is_met = f"words -{LOSS} (no embedder knows the language)", figures.both >= figures.words - LOSS
    elif reason := _spared(figures):
        asked, is_met = f"better -{LOSS} ({reason})", figures.gained >= -LOSS
    else:
        asked, is_met = f"better +{GAIN}", figures.gained >= GAIN
    return (
        f"{name:7} {pair:10} {figures.questions:10}  {figures.words:5.3f}  {figures.meaning:7.3f}  {figures.both:5.3f}"
        f"  {figures.gained:+7.3f}  {figures.empty:5.1%}  {asked}, empty <= {EMPTY:.0%}: "
        f"{MET if is_met and figures.empty <= EMPTY else NOT_MET}"
    )


def _spared(figures: Figures) -> str:
    """Why both are only to lose nothing; empty if they are to gain."""
    if not figures.has_titles:
        return "no titles"
    return "words find too little" if figures.words < _LITTLE * figures.meaning else ""
