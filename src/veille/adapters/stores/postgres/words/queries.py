"""Texts and queries in words.

Words are split, folded and stemmed by the tokenizers of FTS5, so that both stores find the same. Queries are those of
the parts, in the syntax of FTS5: quoted phrases, `*` for beginnings, AND, OR, NOT, brackets.
"""

from __future__ import annotations

import re
import threading
from typing import Any, NamedTuple

import apsw

#: As in the schema of SQLite.
_TOKENIZERS = {
    "search": ("unicode61", ["remove_diacritics", "2"]),
    "forms": ("porter", ["unicode61", "remove_diacritics", "2", "categories", "L* N* Co Mn Mc"]),
}
#: The most letters of a word: a key of a B-tree has at most 2,704 bytes.
_LETTERS = 500
_PART = re.compile(r'"((?:[^"]|"")*)"( \*)?|AND|OR|NOT|[()]')


class WordPhrase(NamedTuple):
    """Words that follow each other; the last may be a beginning. One without words matches nothing."""

    words: tuple[str, ...]
    is_begun: bool = False


class Node(NamedTuple):
    """AND, OR or NOT (the first without the second) of two queries."""

    operator: str
    first: Query
    second: Query


Query = WordPhrase | Node


class _Own(threading.local):
    """The tokenizers of a thread, and what keeps them alive."""

    def __init__(self) -> None:
        connection = apsw.Connection(":memory:")
        self.connection = connection
        self.tokenizers = {name: connection.fts5_tokenizer(*given) for name, given in _TOKENIZERS.items()}


_own = _Own()


def tokens(index: str, text: str) -> list[str]:
    """The words of a text, as this index has them.

    >>> tokens("search", "Node.js, Café")
    ['node', 'js', 'cafe']
    """
    made: Any = _own.tokenizers[index](
        text.encode("utf-8", "replace"),
        apsw.FTS5_TOKENIZE_DOCUMENT,
        None,
        include_offsets=False,
        include_colocated=False,
    )
    found: list[str] = made
    if len(text) > _LETTERS and max(map(len, found), default=0) > _LETTERS:
        return [word[:_LETTERS] for word in found]
    return found


def parsed(index: str, match: str) -> Query:
    """A query, in the words of this index.

    >>> parsed("search", '("node.js" *)')
    WordPhrase(words=('node', 'js'), is_begun=True)
    """
    parts = list(_PART.finditer(match))
    query, rest = _either(index, parts)
    if rest:
        raise ValueError(f"This is no query: {match}")
    return query


def wanted(query: Query) -> list[WordPhrase]:
    """What documents are ranked by: every phrase but those that are excluded."""
    if isinstance(query, WordPhrase):
        return [query]
    return wanted(query.first) + ([] if query.operator == "NOT" else wanted(query.second))


def phrases(query: Query) -> list[WordPhrase]:
    """All phrases of a query."""
    return [query] if isinstance(query, WordPhrase) else [*phrases(query.first), *phrases(query.second)]


Parts = list[re.Match[str]]
#: From the loosest to the tightest.
_OPERATORS = ("OR", "AND", "NOT")


def _either(index: str, parts: Parts, level: int = 0) -> tuple[Query, Parts]:
    """The query at the beginning of these parts, and what follows it."""
    if level == len(_OPERATORS):
        return _single(index, parts)
    query, parts = _either(index, parts, level + 1)
    while parts and parts[0][0] == _OPERATORS[level]:
        second, parts = _either(index, parts[1:], level + 1)
        query = Node(_OPERATORS[level], query, second)
    return query, parts


def _single(index: str, parts: Parts) -> tuple[Query, Parts]:
    if parts and parts[0][0] == "(":
        query, rest = _either(index, parts[1:])
        if rest and rest[0][0] == ")":
            return query, rest[1:]
    elif parts and parts[0][1] is not None:
        words = tuple(tokens(index, parts[0][1].replace('""', '"')))
        return WordPhrase(words, is_begun=bool(parts[0][2] and words)), parts[1:]
    raise ValueError("A phrase or a bracket is missing in a query.")
