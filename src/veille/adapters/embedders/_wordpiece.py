"""Texts as the numbers that BERT was trained with: WordPiece, lower case, without accents.

The vocabulary is that of BERT (uncased) by Google, Apache 2.0, unchanged: 96 KB, where a tokenizer library and all that
it brings are many megabytes.
"""

from __future__ import annotations

import lzma
import re
import unicodedata
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

_FILE: Final = Path(__file__).with_name("bert_uncased.txt.xz")
_UNKNOWN, _BEGIN, _END = 100, 101, 102
#: A longer word is unknown.
_LONGEST: Final = 100
_CHINESE: Final = "\u4e00-\u9fff\u3400-\u4dbf\uf900-\ufaff\U00020000-\U0002ebef\U0002f800-\U0002fa1f"
_HAN: Final = re.compile(f"[{_CHINESE}]")


def token_ids(text: str, most: int) -> list[int]:
    """The tokens of a text, at most so many, with the signs of its beginning and end."""
    found: list[int] = []
    for word in _words(text):
        found += _pieces(word)
        if len(found) >= most - 2:
            break
    return [_BEGIN, *found[: most - 2], _END]


def _words(text: str) -> list[str]:
    plain = unicodedata.normalize("NFD", text.lower())
    if not plain.isascii():
        plain = "".join(letter for letter in plain if letter.isspace() or _is_kept(letter))
    words: list[str] = []
    for run in plain.split():
        words += [run] if run.isalnum() and run.isascii() else _apart(run)
    return words


def _apart(run: str) -> list[str]:
    words, word = [], ""
    for letter in run:
        if _is_alone(letter):
            words += [word, letter] if word else [letter]
            word = ""
        else:
            word += letter
    return [*words, word] if word else words


@lru_cache(maxsize=4096)
def _is_kept(letter: str) -> bool:
    """Whether it is no accent, and nothing invisible."""
    category = unicodedata.category(letter)
    return category != "Mn" and not category.startswith("C")


@lru_cache(maxsize=4096)
def _is_alone(letter: str) -> bool:
    is_sign = letter.isascii() and not letter.isalnum()
    return is_sign or unicodedata.category(letter).startswith("P") or _HAN.match(letter) is not None


@lru_cache(maxsize=50_000)
def _pieces(word: str) -> tuple[int, ...]:
    """The longest known beginning, then the longest known continuation, and so on."""
    known, found, start = _vocabulary(), [], 0
    if len(word) > _LONGEST:
        return (_UNKNOWN,)
    while start < len(word):
        mark = "##" if start else ""
        end = next((end for end in range(len(word), start, -1) if mark + word[start:end] in known), None)
        if end is None:
            return (_UNKNOWN,)
        found.append(known[mark + word[start:end]])
        start = end
    return tuple(found)


@cache
def _vocabulary() -> dict[str, int]:
    words = lzma.decompress(_FILE.read_bytes()).decode().split("\n")
    return {word: number for number, word in enumerate(words) if word}
