"""The names in a text, by their capital letters; people, organisations and places are told apart only by clear signs.

A name begins with a capital letter in the middle of a sentence. At its beginning every word has one, so that a word
counts there only if it has one elsewhere, too. In German every noun has one: there a name has two words, or a sign.
Scripts without capitals have no names by this rule.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from veille.core.analyse.name_signs import (
    INSIDE,
    NO_NAMES,
    NO_NAMES_ALONE,
    ORGANISATION,
    PERSON_BEFORE,
    PERSON_VERBS,
    PLACE_END,
    PLACES,
)
from veille.core.analyse.small_words import SMALL_WORDS
from veille.core.language.sentences import sentences

MOST_NAMES: Final = 12
_MOST_WORDS: Final = 5
#: A line with fewer small letters is a headline.
_SMALL_LETTERS: Final = 0.5
_NOUNS_ARE_CAPITAL: Final = frozenset({"de", "lb"})
_ACRONYM: Final = range(2, 7)
_PERSON_WORDS: Final = range(2, 5)
_WORD: Final = re.compile(r"&|[^\W\d_](?:[’'.-]?\w)*+\.?")  # noqa: RUF001 - as it is written


@dataclass(frozen=True, slots=True)
class Name:
    """A name, its kind (person, organisation, place; or only name), and how often the text has it."""

    text: str
    kind: str
    count: int


@dataclass(frozen=True, slots=True)
class _Run:
    words: tuple[str, ...]
    before: str
    after: str
    is_first: bool


def names(title: str, text: str, lang: str) -> tuple[Name, ...]:
    """The names of a text, the most frequent first."""
    del title  # Titles are often written with capitals throughout.
    runs = [run for start, end in sentences(text) for run in _runs(text[start:end], lang)]
    inner = {word for run in runs for word in run.words[run.is_first :]}
    counts: Counter[str] = Counter()
    kinds: dict[str, str] = {}
    for run in runs:
        words = _without_start(run, inner)
        if not words or not _is_name(words, run, lang):
            continue
        name = " ".join(words)
        counts[name] += 1
        kind = _kind(words, run)
        kinds[name] = kind if kinds.get(name, "name") == "name" else kinds[name]
    _join_surnames(counts, kinds)
    order = {name: at for at, name in enumerate(counts)}
    ranked = sorted(counts, key=lambda name: (-counts[name], order[name]))
    return tuple(Name(name, kinds[name], counts[name]) for name in ranked[:MOST_NAMES])


def _runs(sentence: str, lang: str) -> Iterator[_Run]:
    """The runs of capitalised words in a sentence, with the words beside them."""
    if sum(letter.islower() for letter in sentence) < _SMALL_LETTERS * len(sentence.replace(" ", "")):
        return
    small = SMALL_WORDS.get(lang, frozenset())
    found = [(match[0].rstrip("."), match.start(), match.end()) for match in _WORD.finditer(sentence)]
    words = [word for word, _, _ in found]
    at = 0
    while at < len(words):
        end = at
        while end < len(words) and end - at < _MOST_WORDS and _belongs(words, found, sentence, at, end):
            end += 1
        while end > at and not _is_capital(words[end - 1]):
            end -= 1
        start = at
        at = max(end, at + 1)
        run = tuple(re.sub(r"['’]s?$", "", word) for word in words[start:end])  # noqa: RUF001
        if run and start == 0 and run[0].casefold() in small:
            # "In Berlin": a small word is part of no name, so that what follows is not at the beginning.
            run, start = run[1:], 1
        if run:
            before = words[start - 1].casefold() if start else ""
            yield _Run(run, before, words[end].casefold() if end < len(words) else "", start == 0)


def _belongs(words: list[str], found: list[tuple[str, int, int]], sentence: str, first: int, at: int) -> bool:
    """Whether a word goes on with the run that begins at `first`."""
    if at > first:
        _, _, end = found[at - 1]
        # Only a space, or the stop of an initial, may stand between two words of a name.
        gap = sentence[end : found[at][1]]
        stop = sentence[end - 1] == "." and len(words[at - 1]) > 3  # noqa: PLR2004 - longer than "Mr." and "Jr."
        if gap != " " or stop:
            return False
        if words[at] in INSIDE:
            following = words[at + 1 : at + 3]
            return any(map(_is_capital, following[:1])) or (len(following) > 1 and following[0] in INSIDE)
    return _is_capital(words[at]) and words[at].casefold() not in NO_NAMES


def _is_capital(word: str) -> bool:
    return word[:1].isupper()


def _without_start(run: _Run, inner: set[str]) -> tuple[str, ...]:
    """The words of a run without titles; at the start of a sentence without a word that is no name elsewhere."""
    words = run.words
    if run.is_first and words[0] not in inner and len(words) != 2:  # noqa: PLR2004 - of two words, both are likely
        words = words[1:]
    while words and words[0].casefold() in PERSON_BEFORE:
        words = words[1:]
    while words and words[0] in INSIDE:
        words = words[1:]
    return words


def _is_name(words: tuple[str, ...], run: _Run, lang: str) -> bool:
    if len(words) == 1 and (len(words[0]) < 2 or words[0].casefold() in NO_NAMES_ALONE):  # noqa: PLR2004 - initials
        return False
    if lang not in _NOUNS_ARE_CAPITAL:
        return True
    return _kind(words, run) != "name" or (len(words) > 1 and not run.is_first)


def _kind(words: tuple[str, ...], run: _Run) -> str:
    """The kind of a name, if something tells it."""
    lower = [word.casefold() for word in words]
    if " ".join(lower) in PLACES or (len(words) > 1 and lower[-1] in PLACE_END):
        return "place"
    if any(word in ORGANISATION for word in lower) and len(words) > 1:
        return "organisation"
    if len(words) == 1 and words[0].isupper() and len(words[0]) in _ACRONYM:
        return "organisation"
    had_title = run.words[0].casefold() in PERSON_BEFORE or run.before in PERSON_BEFORE
    speaks = run.after in PERSON_VERBS or run.before in PERSON_VERBS
    is_full = len(words) in _PERSON_WORDS and not any(word in INSIDE for word in words[:1])
    return "person" if had_title or (speaks and is_full) else "name"


def _join_surnames(counts: Counter[str], kinds: dict[str, str]) -> None:
    """Count "Merkel" as "Angela Merkel", if only one longer name ends so."""
    full: dict[str, list[str]] = {}
    for name in counts:
        if " " in name:
            full.setdefault(name.rsplit(" ", 1)[1], []).append(name)
    for name in list(counts):
        longer = full.get(name, [])
        if len(longer) == 1 and kinds[longer[0]] in {"person", "name"}:
            if kinds[name] == "person":
                kinds[longer[0]] = "person"
            counts[longer[0]] += counts.pop(name)
            kinds.pop(name)
