"""The tone of a text, from -1 (bad news) to 1 (good news), by the words of a small lexicon in eight languages.

It counts words and knows negations; irony, and what is good for one and bad for another, it does not know.
`tests/unit/test_tone.py` has a labelled list, and how often this is right.
"""

from __future__ import annotations

import re
from typing import Final

from veille.core.analyse.tone_words import BAD, GOOD, NEGATIONS
from veille.core.search.snippets import folded

#: The beginning of a text is read.
_READ: Final = 8000
#: A negation turns the words after it.
_REACH: Final = 3
#: So many words of no tone are added to each text: one word in a long one says little.
_DOUBT: Final = 2
#: A title says what the text is about.
_TITLE_WEIGHT: Final = 2
_WORD: Final = re.compile(r"[^\W\d_]+")
_CLAUSE: Final = re.compile(r"[.!?;:,。！？\n]")  # noqa: RUF001 - as they are written


def tone(title: str, text: str, lang: str) -> float | None:
    """The tone; None for a language without a lexicon."""
    if lang not in GOOD:
        return None
    good = bad = 0
    for part, weight in ((title, _TITLE_WEIGHT), (text[:_READ], 1)):
        for clause in _CLAUSE.split(folded(part)):
            more_good, more_bad = _counts(clause, lang)
            good += weight * more_good
            bad += weight * more_bad
    return round((good - bad) / (good + bad + _DOUBT), 2)


def _counts(clause: str, lang: str) -> tuple[int, int]:
    """The good and the bad words of a clause; a negated one counts as the other."""
    counts = [0, 0]
    negated_until = -1
    for at, word in enumerate(_WORD.findall(clause)):
        if word in NEGATIONS[lang]:
            negated_until = at + _REACH
            continue
        for side, known in ((0, GOOD[lang]), (1, BAD[lang])):
            if known.match(word):
                counts[1 - side if at <= negated_until else side] += 1
    return counts[0], counts[1]
