"""Pieces: the spans of a text that are found by meaning.

A piece has at most `LONGEST` characters and ends where a sentence ends, so that what is found can be read, and an
embedder sees whole thoughts. Its hash is that of its normalised text: equal pieces have one hash, wherever they stand,
and a vector belongs to a hash. Where a piece ends is decided by the words before the place, not only by a count from
the beginning: some paragraphs after an edit, the pieces are the same again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from zlib import crc32

from veille.core.language.sentences import Span, sentences
from veille.core.text import flat

LONGEST: Final = 1000
#: From `_SOON` characters on a piece may end with a paragraph, from `_LONG` on with a sentence: with one in `_ONE_IN`,
#: chosen by its words. From `_LONG` on it ends with any paragraph.
_SOON, _LONG, _ONE_IN = 350, 700, 3
#: A paragraph that is shorter and ends with a letter is a heading, or announces a list: it belongs to what follows.
_HEADING: Final = 100
#: How many characters before a place decide whether a piece may end there.
_HASHED: Final = 24


@dataclass(frozen=True, slots=True)
class Piece:
    """A span of a text, with the hash of its normalised words."""

    start: int
    end: int
    hash: bytes


def pieces(text: str) -> list[Piece]:
    """The pieces of a text, in order; between them is only white space.

    >>> text = "One. Two."
    >>> [text[piece.start : piece.end] for piece in pieces(text)]
    ['One. Two.']
    """
    return [Piece(start, end, piece_hash(text[start:end])) for start, end in _spans(text)]


def piece_hash(text: str) -> bytes:
    """The hash of a piece: 16 bytes. Layout and invisible characters do not count."""
    return hashlib.blake2b(flat(text).encode("utf-8", "replace"), digest_size=16).digest()


def _spans(text: str) -> Iterator[Span]:
    start = end = -1
    for paragraph in _paragraphs(text):
        is_heading = _is_heading(text, paragraph)
        if start >= 0 and is_heading and end - start >= _SOON:
            yield start, end
            start = -1
        for first, last in paragraph:
            if start >= 0 and (last - start > LONGEST or (end - start >= _LONG and _is_chosen(text, end))):
                yield start, end
                start = -1
            start, end = (first if start < 0 else start), last
        if not is_heading and (end - start >= _LONG or (end - start >= _SOON and _is_chosen(text, end))):
            yield start, end
            start = -1
    if start >= 0:
        yield start, end


def _paragraphs(text: str) -> Iterator[list[Span]]:
    """The sentences of each paragraph, which ends with its line; a sentence that is too long is in parts."""
    paragraph: list[Span] = []
    for first, last in sentences(text):
        if paragraph and "\n" in text[paragraph[-1][1] : first]:
            yield paragraph
            paragraph = []
        paragraph += _parts(text, first, last) if last - first > LONGEST else [(first, last)]
    if paragraph:
        yield paragraph


def _parts(text: str, start: int, end: int) -> Iterator[Span]:
    """A sentence that is too long, cut at white space, or anywhere if there is none."""
    while end - start > LONGEST:
        window = text[start : start + LONGEST + 1]
        cut = start + (len(window.rstrip()) if window[-1].isspace() else _last_word(window))
        yield start, cut
        start = cut
        while text[start].isspace():
            start += 1
    yield start, end


def _last_word(window: str) -> int:
    """Where the last whole word ends; the longest piece if there is but one word."""
    words = window.rsplit(None, 1)
    return len(words[0]) if len(words) > 1 else LONGEST


def _is_heading(text: str, paragraph: Sequence[Span]) -> bool:
    start, end = paragraph[0][0], paragraph[-1][1]
    return end - start <= _HEADING and text[end - 1].isalnum()


def _is_chosen(text: str, end: int) -> bool:
    """Whether a piece may end behind the words before this place, by their hash: wherever they stand."""
    return crc32(text[max(0, end - _HASHED) : end].encode("utf-8", "replace")) % _ONE_IN == 0
