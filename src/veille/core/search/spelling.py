"""What may be meant by a word that no document has: words of the index that differ by one or two typing errors."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from veille.core.language.cjk import has_signs
from veille.core.search.endings import beginning, tongue
from veille.core.search.query import Query
from veille.core.search.question import is_plain
from veille.core.search.snippets import folded

#: Shorter words are near to too many others.
_SHORTEST: Final = 4
#: The first letter of a shorter word is taken for right: so short, it is near to words of all kinds.
_FREE: Final = 5
#: Two errors are believed in a word of this length.
_SHORTEST_FOR_TWO: Final = 6
#: In a longer one, also if one of them is early.
_LONG: Final = 8
#: No word that people type is longer.
_LONGEST: Final = 40
#: A part of a compound that is known is at least so long, and one in which there is an error: a shorter one is near to
#: other words too often.
_SHORTEST_PART, _SHORTEST_WRONG = 4, 7
#: What may stand between the parts of a compound.
_LINKS: Final = ("", "s", "n", "en", "es")
_WORD = re.compile(r"[^\W\d_]+")
#: A word that does not begin a sentence.
_WITHIN = re.compile(r"(?:(?<=[^\W_] )|(?<=[^\W_], ))[^\W\d_]+")
#: The letters of a script that are tried in place of others, by one of its letters.
_ALPHABETS: Final = ("abcdefghijklmnopqrstuvwxyz", "абвгдежзийклмнопрстуфхцчшщъыьэюяіїєґ", "αβγδεζηθικλμνξοπρσςτυφχψω")


class Near(NamedTuple):
    """A known word that may be meant by a mistyped one; or by a part of a compound, whose other half is known, too."""

    word: str = ""
    documents: int = 0
    start: int = 0
    end: int = _LONGEST
    half: str = ""


def doubtful(query: Query) -> dict[str, str]:
    """The words of a query in which typing errors are looked for: plain words, not the shortest.

    With each comes the beginning that its forms have in common, as far as that is known: one of them may be in use.
    """
    if not is_plain(query):
        return {}
    words = [word for group in query.groups for word in _WORD.findall(group[0].text.lower())]
    lang = tongue(words)
    return {
        folded(word): beginning(word, lang)
        for word in words
        if _SHORTEST <= len(word) <= _LONGEST and not has_signs(word)
    }


def one_error_away(word: str) -> list[str]:
    """The words that become this one by one error: a letter left out, added, replaced, or two exchanged.

    >>> "harbour" in one_error_away("habrour"), "harbour" in one_error_away("harbor")
    (True, True)
    """
    letters = next((one for one in _ALPHABETS if any(letter in one for letter in word)), "".join(sorted(set(word))))
    splits = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    found = [left + right[1:] for left, right in splits if right]
    found += [left + right[1] + right[0] + right[2:] for left, right in splits if len(right) > 1]
    for left, right in splits:
        found += [left + letter + right for letter in letters]
        if right:
            found += [left + letter + right[1:] for letter in letters]
    return sorted(set(found) - {word})


def right_letters(word: str) -> tuple[int, ...]:
    """How many first letters of a word are taken for right if it has two errors, first more, then fewer.

    Words that begin otherwise would be too many to compare; and a short word of which less is right may be any other.

    >>> [right_letters(word) for word in ("fery", "tikets", "bycicles")]
    [(), (3,), (3, 1)]
    """
    if len(word) < _SHORTEST_FOR_TWO:
        return ()
    return (3, 1) if len(word) >= _LONG else (3,)


def meant(word: str, known: Iterable[tuple[str, int]]) -> str:
    """The nearest of these words, each with the number of its documents.

    Those with fewer errors are first, then those that only have an ending more, then those in more documents.

    >>> meant("harbuor", [("harbour", 3), ("harbours", 90), ("arbour", 7)])
    'harbour'
    >>> meant("fery", [("ferry", 3), ("very", 90)])
    'ferry'
    """
    most = 2 if right_letters(word) else 1
    letters = set(word)
    found = [
        (errors, not other.startswith(word), -documents, other)
        for other, documents in known
        if (len(word) >= _FREE or other[0] == word[0])
        and abs(len(other) - len(word)) <= most
        and len(letters ^ set(other)) <= 2 * most
        and (errors := _errors(word, other)) <= most
    ]
    return min(found)[-1] if found else ""


def halves(word: str) -> list[tuple[int, int, str]]:
    """Where a compound may have an error, each with the other half, which has to be known; longer ones first.

    >>> (5, 12, "stadt") in halves("stadtbuchrei"), (0, 7, "garten") in halves("buchreigarten")
    (True, True)
    """
    found = []
    for at in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
        for link in _LINKS:
            end = at - len(link)
            if word[:at].endswith(link) and end >= _SHORTEST_PART:
                found += [(at, len(word), word[:end])] if len(word) - at >= _SHORTEST_WRONG else []
                found += [(0, end, word[at:])] if end >= _SHORTEST_WRONG else []
    return sorted(set(found), key=lambda one: (-len(one[2]), one))


def is_misspelt(part: str, other: str) -> bool:
    """Whether a part of a compound may be a word mistyped: with a letter left out, added or exchanged with the next.

    Words with another letter, or another end, are as often other words.

    >>> [is_misspelt("buchrei", other) for other in ("bucherei", "buchreis")], is_misspelt("abnahme", "annahme")
    ([True, False], False)
    """
    has_same_ends = part[0] == other[0] and part[-1] == other[-1]
    return has_same_ends and (len(part) != len(other) or sorted(part) == sorted(other))


def corrected(text: str, meant_by: Mapping[str, Near]) -> str:
    """The text of a search with words replaced, found by how they are folded; the rest stays as it was typed.

    >>> corrected("Harbuor bridge lang:en", {"harbuor": Near("harbour")})
    'Harbour bridge lang:en'
    >>> corrected("STADTBÜCHREI", {"stadtbuchrei": Near("Bücherei", start=5)})
    'STADTBÜCHEREI'
    """

    def meant(match: re.Match[str]) -> str:
        typed = match[0]
        near = meant_by.get(folded(typed))
        return typed if near is None else typed[: near.start] + _cased(typed, near) + typed[near.end :]

    return _WORD.sub(meant, text)


def _cased(typed: str, near: Near) -> str:
    """A word in capitals as what was typed is; within a word it has no others."""
    if typed.isupper():
        return near.word.upper()
    word = near.word.lower() if near.start else near.word
    return word[0].upper() + word[1:] if typed[0].isupper() and not near.start else word


def written(word: str, text: str) -> str:
    """A folded word as a text writes it most often, with the capitals that it has within sentences.

    >>> written("fernwarme", "Fernwärme: die Fernwärme"), written("harbour", "Harbour news"), written("cafe", "a bar")
    ('Fernwärme', 'harbour', 'cafe')
    """
    within = Counter(found for found in _WITHIN.findall(text) if folded(found) == word)
    forms = within or Counter(found.lower() for found in _WORD.findall(text) if folded(found) == word)
    return forms.most_common(1)[0][0] if forms else word


def _errors(one: str, other: str) -> int:
    """How many letters have to be left out, added, replaced or exchanged with the next (each letter once)."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, start=1):
        older, before, row = before, row, [at]
        for to, counter in enumerate(other, start=1):
            cost = min(before[to] + 1, row[to - 1] + 1, before[to - 1] + (letter != counter))
            if at > 1 and to > 1 and letter == other[to - 2] and one[at - 2] == counter:
                cost = min(cost, older[to - 2] + 1)
            row.append(cost)
    return row[-1]
