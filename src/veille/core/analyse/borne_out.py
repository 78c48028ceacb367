"""Which sentences of a summary the text bears out: its numbers and names stand in it, and most of its words.

A model may say anything, and the text may have told it what. What the text itself says to machines bears out nothing.
That something stands there the other way round is not seen: a summary is a pointer to a text, and no citation.
"""

from __future__ import annotations

import re
from itertools import chain, pairwise
from typing import Final

from veille.core.analyse.small_words import SMALL_WORDS
from veille.core.ask.addressed import is_addressed_to_a_machine
from veille.core.ask.wording import COMPOUND, STOP_WORDS, likeness, telling_words, words_of
from veille.core.language.sentences import sentences
from veille.core.search.snippets import folded

#: The least share of the telling words of a sentence that the text has: as of an answer by its quotes.
_SHARE: Final = 0.6
_NUMBER: Final = re.compile(r"\d+(?:[.,:]\d+)*")
_WORD: Final = re.compile(r"[^\W\d_]\w*")


def said_to_people(text: str) -> str:
    """The text without the sentences that are addressed to a machine."""
    return "".join(one for one in _split(text) if not is_addressed_to_a_machine(one))


def borne_out(summary: str, material: str, lang: str) -> str:
    """The sentences of a summary that the material bears out, which is a text that is said to people.

    >>> text = "The harbour museum in Ostend reopens on Monday after repairs that took 3 years."
    >>> borne_out("Repairs of the museum took 3 years. It was sold for 9 million. Acme reopens the museum.", text, "en")
    'Repairs of the museum took 3 years.'
    """
    there, numbers = set(words_of(material)), set(_NUMBER.findall(material))
    small = STOP_WORDS | {folded(word) for word in SMALL_WORDS.get(lang, ())}

    def stands(word: str) -> bool:
        return word in there or any(likeness(word, other) >= COMPOUND for other in there)

    def is_sound(sentence: str) -> bool:
        # A name, or what may be one: at the beginning of a sentence, and in German, other words have a capital, too.
        capital = (words_of(word) for word in _WORD.findall(sentence) if word[0].isupper())
        named = set(chain.from_iterable(capital)) - small
        words = [word for word in telling_words(sentence) if word not in small]
        return (
            bool(words)
            and numbers.issuperset(_NUMBER.findall(sentence))
            and all(map(stands, named))
            and sum(map(stands, words)) >= _SHARE * len(words)
        )

    return said_to_people("".join(one for one in _split(summary) if is_sound(one))).strip()


def _split(text: str) -> list[str]:
    """The sentences of a text, each with the blanks behind it."""
    starts = (start for start, _ in sentences(text))
    return [text[start:end] for start, end in pairwise((*starts, len(text)))]
