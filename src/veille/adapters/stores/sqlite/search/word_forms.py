"""Which words of a question documents are ranked by, and which words of a text they match in which form."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import apsw

from veille.core.language.cjk import has_signs
from veille.core.search.endings import small_words
from veille.core.search.query import Query, Term
from veille.core.search.question import in_order, question_text, telling
from veille.core.search.snippets import folded
from veille.core.search.words import BACKWARDS, alternatives, asked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from veille.adapters.stores.database import Database

    Stemmer = Callable[[str], str]

#: As in the schema, where `porter` comes first.
_SPLITTER = ("unicode61", "remove_diacritics", "2", "categories", "L* N* Co Mn Mc")
#: How many documents are looked at to see how common a word is, and in how many stretches of the index.
_LOOKED_AT, _STRETCHES = 400, 4
#: How many letters a word and its forms have in common at least.
_COMMON_LETTERS = 3

#: How many documents of a stretch have a word. A word's documents are in the order of their rows, so that this reads a
#: page or two of the index, however many they are: 40 microseconds. As part of a larger statement it would read all.
_COUNTED = "SELECT count(*) FROM forms WHERE forms MATCH ? AND rowid BETWEEN ? AND ?"
_LOOKED = "SELECT count(*) FROM bodies WHERE row BETWEEN ? AND ?"


class WordForms:
    """The index of word forms, asked for questions."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def match(self, query: Query) -> str:
        """The words of a question in the syntax of FTS5, without those that most documents have; empty without any."""
        return " OR ".join(self._words(query))

    def _words(self, query: Query) -> list[str]:
        words = list(self._with_parts(asked(question_text(query))))
        if not words:
            return []
        documents, shares = self.shares(set(words))
        return in_order(words, telling(shares, documents)) if documents else []

    def shares(self, words: Iterable[str]) -> tuple[int, dict[str, float]]:
        """About how many documents there are, and the share of them that have each word; without those of none."""
        stretches, documents = self._stretches()
        looked_at = max(1, sum(self._db.value(_LOOKED, stretch) for stretch in stretches))
        counts = {word: self._count(word, stretches) for word in words} if documents else {}
        # A word that no document has is not the rarest: without it, the others would be left out.
        return documents, {word: count / looked_at for word, count in counts.items() if count or self._has(word)}

    def _with_parts(self, words: Sequence[tuple[str, bool]]) -> Iterator[str]:
        """The words as FTS5 has them; a long one that is not in the index, by what it may be found by instead."""
        missing = self.missing([_quoted(one) for one in words])
        for one in words:
            yield _quoted(one)
            instead = ([_quoted(other) for other in others] for others in alternatives(one[0]))
            if _quoted(one) in missing:
                yield from next((others for others in instead if not self.missing(others)), ())

    def missing(self, words: Sequence[str]) -> set[str]:
        """Those of these words that no document has."""
        return {word for word in words if not self._has(word)}

    def _has(self, word: str) -> bool:
        return bool(self._db.value("SELECT EXISTS (SELECT 1 FROM forms WHERE forms MATCH ?)", (word,)))

    def _count(self, word: str, stretches: list[tuple[int, int]]) -> int:
        return sum(self._db.value(_COUNTED, (word, *stretch)) for stretch in stretches)

    def _stretches(self) -> tuple[list[tuple[int, int]], int]:
        """Stretches of rows all over the index; and about how many documents there are."""
        # Two statements: as one, it would look at all rows.
        first = self._db.value("SELECT coalesce(min(row), 0) FROM bodies")
        last = self._db.value("SELECT coalesce(max(row), -1) FROM bodies")
        rows = last - first + 1
        if rows <= _LOOKED_AT:
            return [(first, last)], rows
        length = _LOOKED_AT // _STRETCHES
        starts = [first + (rows - length) * at // (_STRETCHES - 1) for at in range(_STRETCHES)]
        return [(start, start + length - 1) for start in starts], rows

    @contextmanager
    def marker(self, query: Query) -> Iterator[Callable[[str], Query]]:
        """A function that returns the query with the forms in which its words are in a text, to be marked there.

        Its small words are not marked: they would be on every line.
        """
        small = small_words([word.lower() for word, _ in asked(question_text(query))])
        found = self._words(query)
        words = [word for word in found if word.strip('"').lower() not in small] or found
        begun = [folded(word[1:-3]) for word in words if word.endswith("*")]
        ends = [re.escape(word[1:][::-1]) for word in begun if word.startswith(BACKWARDS)]
        begun = [word for word in begun if not word.startswith(BACKWARDS)]
        with _stemmer() as stem:
            wanted = {stem(word.strip('"')) for word in words if not word.endswith("*")}
            signs = [Term(text=word) for word in wanted if has_signs(word)]
            signs += [Term(text=word, prefix=True) for word in begun]
            beginnings = sorted({re.escape(word[:_COMMON_LETTERS]) for word in wanted if not has_signs(word)})
            spaced = _any(beginnings, r"(?<![^\W_])(?:{})[^\W_]*")
            compounds = _any(ends, r"[^\W\d_]+(?:{})[^\W\d_]{{0,3}}(?![^\W_])")

            def with_forms(text: str) -> Query:
                flat = folded(text)
                forms = {word for word in set(spaced.findall(flat)) if stem(word) in wanted} if spaced else set()
                forms |= set(compounds.findall(flat)) if compounds else set()
                return replace(query, groups=tuple((Term(text=word),) for word in sorted(forms)) + marked)

            marked = tuple((term,) for term in sorted(set(signs), key=lambda term: term.text))
            yield with_forms


def _any(parts: Sequence[str], pattern: str) -> re.Pattern[str] | None:
    """The pattern with these alternatives; None without any."""
    return re.compile(pattern.format("|".join(parts))) if parts else None


def _quoted(asked_for: tuple[str, bool]) -> str:
    word, is_prefix = asked_for
    return f'"{word}" *' if is_prefix else f'"{word}"'


@contextmanager
def _stemmer() -> Iterator[Stemmer]:
    """The stem of a word as the index has it."""
    with closing(apsw.Connection(":memory:")) as connection:
        tokenizer = connection.fts5_tokenizer("porter", list(_SPLITTER))
        known: dict[str, str] = {}

        def stem(word: str) -> str:
            if word not in known:
                tokens = tokenizer(
                    word.encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False, include_colocated=False
                )
                known[word] = next((str(token) for token in tokens), word)
            return known[word]

        yield stem
