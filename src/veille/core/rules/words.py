"""Words in texts: without regard to case, line breaks and spaces, and whole words where a script separates them."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from veille.core.language.cjk import apart, has_signs
from veille.core.text import visible

_WORD: Final = re.compile(r"\w+")
#: Letters around what was found that a quote shows.
_QUOTED: Final = 160
_SENTENCE_END: Final = re.compile(r"[.!?]\s|[。！？]|\n")  # noqa: RUF001 - the stops of Chinese and Japanese
#: Apostrophes that people and programs put for one another.
_SAME: Final = str.maketrans({"\u2018": "'", "\u2019": "'", "\u02bc": "'"})


def folded(text: str) -> str:
    """The form in which texts are compared: one line, small letters, one way to write each letter.

    >>> folded("Smoked  TEA, Straße")
    'smoked tea, strasse'
    """
    if text.isascii():
        return " ".join(text.lower().split())
    return " ".join(unicodedata.normalize("NFKC", visible(text).casefold()).casefold().translate(_SAME).split())


def words_in(text: str) -> frozenset[str]:
    """The different words of a folded text; every sign of a script without spaces is one."""
    return frozenset(_WORD.findall(apart(text)))


@dataclass(frozen=True)
class WantedWords:
    """Words to look for, as somebody wrote them."""

    written: str

    @cached_property
    def folded(self) -> str:
        return folded(self.written)

    @cached_property
    def words(self) -> frozenset[str]:
        """Words that a text has if it has all of this: to rule out most texts at once."""
        return words_in(self.folded)

    @cached_property
    def _is_one_word(self) -> bool:
        return self.folded.isascii() and self.folded.isalnum()

    def is_in(self, text: str, words: frozenset[str]) -> bool:
        """Whether a folded text with these words has it."""
        if not self.words <= words:
            return False
        return self._is_one_word or self.place(text) >= 0

    def place(self, text: str, start: int = 0) -> int:
        """Where it begins in a folded text; -1 if it is not there."""
        wanted = self.folded
        at = text.find(wanted, start)
        while at >= 0:
            end = at + len(wanted)
            if _is_edge(text, at) and _is_edge(text, end):
                return at
            at = text.find(wanted, at + 1)
        return -1

    def count(self, text: str, words: frozenset[str]) -> int:
        """How often a folded text has it."""
        if not self.words <= words:
            return 0
        number, at = 0, self.place(text)
        while at >= 0:
            number += 1
            at = self.place(text, at + len(self.folded))
        return number

    def quote(self, text: str) -> str:
        """The passage of a text around the first place where it is; empty if it is not there."""
        for line in text.splitlines():
            at = self.place(folded(line))
            if at >= 0:
                flat = " ".join(line.split())
                # The folded line may be a little shorter or longer: near enough for a passage.
                return passage(flat, min(at, len(flat)), min(at + len(self.folded), len(flat)))
        at = self.place(folded(text))
        flat = " ".join(text.split())
        return passage(flat, min(at, len(flat)), min(at + len(self.folded), len(flat))) if at >= 0 else ""


def passage(text: str, start: int, end: int) -> str:
    """The sentence in which a place is, or as much of it as is quoted."""
    reach = max(0, _QUOTED - (end - start)) // 2
    first, last = max(0, start - reach), min(len(text), end + reach)
    stops = [stop.end() for stop in _SENTENCE_END.finditer(text, first, start)]
    begin = stops[-1] if stops else _word_start(text, first, start)
    stop = _SENTENCE_END.search(text, max(end - 1, start), last)
    finish = stop.end() if stop else _word_end(text, last, end)
    head = "…" if begin and not stops else ""
    tail = "…" if finish < len(text) and not stop else ""
    return head + " ".join(text[begin:finish].split()) + tail


def _word_start(text: str, first: int, start: int) -> int:
    """The beginning of the first whole word from a place on."""
    if first == 0:
        return 0
    gap = text.find(" ", first, start)
    return first if gap < 0 else gap + 1


def _word_end(text: str, last: int, end: int) -> int:
    """The end of the last whole word before a place."""
    if last == len(text):
        return last
    gap = text.rfind(" ", end, last)
    return last if gap < 0 else gap


def _is_edge(text: str, at: int) -> bool:
    """Whether a word can begin or end at a place."""
    if at in {0, len(text)}:
        return True
    left, right = text[at - 1], text[at]
    return not (_joins(left) and _joins(right)) or has_signs(left + right)


def _joins(letter: str) -> bool:
    """Whether a letter is part of a word."""
    return letter.isalnum() or letter == "_" or (not letter.isascii() and unicodedata.category(letter)[0] == "M")
