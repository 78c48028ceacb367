"""The words that tell a document from the others of its dossier: tf-idf over the dossier's own index.

The share of documents that have a word decides what is common; no list of stop words is complete, but every index knows
its own. While the index is small, what is known of a word beforehand counts as much as some documents would: a function
word is in most texts, a short word in many, a long word in few. So one formula serves one document and a million.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import log
from typing import Final

from veille.core.analyse.small_words import SMALL_WORDS
from veille.core.language.sentences import sentences
from veille.core.search.snippets import folded
from veille.core.text import UNSPACED_LETTERS, UNSPACED_SIGNS

#: The most candidates of a document: rare words far below are never chosen.
MOST_CANDIDATES: Final = 150
#: Prior knowledge counts as much as so many documents.
_PRIOR_DOCUMENTS: Final = 40
#: The share of all documents that have a function word, a word of up to three letters, and any other.
_SMALL, _SHORT, _OTHER = 0.95, 0.15, 0.02
_SHORT_LETTERS: Final = 3
#: A word that more documents have is a stop word here.
_COMMON: Final = 0.4
#: With fewer keywords than this, common words are taken, too.
_FEW: Final = 3
#: A word in the title, and one in the first tenth of the sentences, counts more.
_IN_TITLE, _EARLY = 2.0, 1.3
_EARLY_PART: Final = 10
_LONGEST_PHRASE: Final = 3
_LONGEST_GRAM: Final = 4
_LEAST: Final = 2

#: Signs above and below letters, such as vowels: parts of words, but no letters.
_MARKS: Final = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0981-\u0dff"
_WORD: Final = re.compile(
    rf"[^\W\d_{UNSPACED_SIGNS}{UNSPACED_LETTERS}]"
    rf"(?:[’'.-]?(?:[^\W_{UNSPACED_SIGNS}{UNSPACED_LETTERS}]|[{_MARKS}]))*+"  # noqa: RUF001
)
#: A run of signs: Chinese words are looked for in Han, Japanese ones also in Katakana.
_HAN: Final = re.compile("[\u3400-\u9fff\uf900-\ufaff]{2,}")
_KATAKANA: Final = re.compile("[\u30a1-\u30fa\u30fc]{3,}")
_BREAK: Final = re.compile(r"[,;:()\[\]{}\"“”„«»|/–—]")  # noqa: RUF001 - as they are written


@dataclass(frozen=True, slots=True)
class KeywordCandidate:
    """A word or phrase that may be a keyword: how it is written, and its words as the index has them."""

    text: str
    words: tuple[str, ...]
    count: int
    #: Larger for what stands in the title, or early.
    place: float


def candidates(title: str, text: str, lang: str) -> tuple[KeywordCandidate, ...]:
    """The words and phrases of a text that may be keywords, the most frequent first."""
    spans = sentences(text)
    early = max(1, len(spans) // _EARLY_PART)
    counts: Counter[tuple[str, ...]] = Counter()
    written: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    places: dict[tuple[str, ...], float] = {}
    small = SMALL_WORDS.get(lang, frozenset())
    lines = [(title, _IN_TITLE), *((text[a:b], _EARLY if at < early else 1.0) for at, (a, b) in enumerate(spans))]
    for line, place in lines:
        for key, form in (*_phrases(line, small), *_signs(line)):
            counts[key] += 1
            written[key][form] += 1
            places[key] = max(place, places.get(key, 1.0))
    for key in counts:
        # A phrase with a word of the title is as good as the word.
        places[key] = max(places.get((word,), 1.0) for word in key)
    kept = ((key, count) for key, count in counts.items() if count >= _LEAST or _is_word(key))
    ranked = sorted(kept, key=lambda one: (-one[1] * places[one[0]], -len(one[0]), one[0]))
    return tuple(
        KeywordCandidate(_form(written[key]), key, count, places[key]) for key, count in ranked[:MOST_CANDIDATES]
    )


def _is_word(key: tuple[str, ...]) -> bool:
    """Whether it is a word for sure: phrases and pieces of Han may stand together by chance."""
    return len(key) == 1 and not _HAN.match(key[0])


def keywords(found: Iterable[KeywordCandidate], documents: int, having: Mapping[str, int]) -> tuple[str, ...]:
    """The candidates that are keywords, the best first; `having`: how many of the `documents` have a word."""

    def share(word: str) -> float:
        return (having.get(word, 0) + _PRIOR_DOCUMENTS * _prior(word)) / (documents + _PRIOR_DOCUMENTS)

    telling, common = [], []
    for one in found:
        shares = [share(word) for word in one.words]
        rare = sum(-log(share) for share in shares) / len(shares)
        score = one.place * (1 + log(one.count)) * rare * _weight(one.words)
        if max(shares) < _COMMON:
            telling.append((score, one))
        elif not any(word in _ANY_SMALL for word in one.words):
            common.append((score, one))
    # In a dossier about one thing, its words are common, and still say what a document is about.
    best = telling if len(telling) >= _FEW else telling + common
    best.sort(key=lambda one: (-one[0], one[1].words))
    return tuple(_apart(one for _, one in best))


def _weight(words: tuple[str, ...]) -> float:
    """A phrase that comes back says more than its words apart; so does a longer piece of Han."""
    size = len(words[0]) - 1 if len(words) == 1 and _HAN.match(words[0]) else len(words)
    return 1 + (size - 1) / 2


def _apart(ranked: Iterable[KeywordCandidate]) -> Iterator[str]:
    """The candidates without those that are part, or another form, of a better one."""
    chosen: list[tuple[str, ...]] = []
    for one in ranked:
        stems = tuple(word.rstrip("s") or word for word in one.words)
        if not any(_is_part(stems, other) or _is_part(other, stems) for other in chosen):
            chosen.append(stems)
            yield one.text


def _is_part(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    if len(short) == len(long) == 1:
        # Signs are not separated: a part of a word is inside it.
        return short == long or (not short[0].isascii() and bool(_HAN.search(short[0])) and short[0] in long[0])
    return any(long[at : at + len(short)] == short for at in range(len(long) - len(short) + 1))


def _prior(word: str) -> float:
    if word in _ANY_SMALL:
        return _SMALL
    return _SHORT if len(word) <= _SHORT_LETTERS and not _HAN.match(word) else _OTHER


_ANY_SMALL: Final = frozenset(folded(word) for words in SMALL_WORDS.values() for word in words)


def _phrases(line: str, small: frozenset[str]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every word, and every run of up to three words without a function word or a sign between them."""
    for part in _BREAK.split(line):
        run: list[tuple[str, str]] = []
        end = -1
        for match in _WORD.finditer(part):
            word = _plain(match[0])
            gap, end = part[end : match.start()] if end >= 0 else " ", match.end()
            if gap.strip():
                run = []
            if word.casefold() in small or len(word) < _LEAST:
                run = []
                continue
            run.append((folded(word), word))
            for size in range(1, min(_LONGEST_PHRASE, len(run)) + 1):
                last = run[-size:]
                yield tuple(one for one, _ in last), " ".join(form for _, form in last)


def _plain(word: str) -> str:
    """A word without its genitive."""
    return re.sub(r"['’]s?$", "", word)  # noqa: RUF001 - as it is written


def _signs(line: str) -> Iterator[tuple[tuple[str, ...], str]]:
    for match in _KATAKANA.finditer(line):
        yield (match[0],), match[0]
    for match in _HAN.finditer(line):
        run = match[0]
        for size in range(2, min(_LONGEST_GRAM, len(run)) + 1):
            for at in range(len(run) - size + 1):
                yield (run[at : at + size],), run[at : at + size]


def _form(written: Counter[str]) -> str:
    """The most frequent form; in lower case, unless it is mostly written otherwise."""
    best, count = max(written.items(), key=lambda one: (one[1], one[0]))
    lower = best.lower()
    return lower if 2 * written.get(lower, 0) >= count else best
