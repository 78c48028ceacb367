"""A short excerpt of a text that shows where it matches a query, as safe HTML: all is escaped but `<mark>`."""

from __future__ import annotations

import html
import re
import unicodedata
from functools import lru_cache
from itertools import chain, islice

from veille.core.language.cjk import has_signs
from veille.core.search.query import Query, Term
from veille.core.search.words import whole_name

#: The length of an excerpt, and how much of it precedes the first match.
SNIPPET_CHARS = 220
_BEFORE = 50
#: In a longer text, matches are searched only in its beginning.
LOOKED_AT = 100_000
#: How many matches are compared to find the excerpt with most of the words.
_COMPARED = 40
_WORD = re.compile(r"[^\W_]+")


def snippet(text: str, query: Query) -> str:
    """The excerpt with most of the words of a query; without any, the beginning."""
    text = text[:LOOKED_AT]
    pattern = _pattern(query)
    if pattern is None:
        return html.escape(_from(text, 0))
    matches = [(match.start(), match[0]) for match in islice(pattern.finditer(folded(text)), _COMPARED)]
    return marked(_from(text, _best(matches)), query)


def below_title(text: str, title: str) -> str:
    r"""A text without the title that stands above it; a text that is only that stays.

    >>> below_title("Tea\n\nIt is 12.90 EUR.", "Tea")
    'It is 12.90 EUR.'
    """
    first, _, rest = text.partition("\n")
    return rest.lstrip() if rest.strip() and first.strip() == title else text


def marked(text: str, query: Query) -> str:
    """All of a text, with the words of a query marked."""
    pattern = _pattern(query)
    shown, end = "", 0
    for match in pattern.finditer(folded(text)) if pattern else ():
        shown += (
            f"{html.escape(text[end : match.start()])}<mark>{html.escape(text[match.start() : match.end()])}</mark>"
        )
        end = match.end()
    return shown + html.escape(text[end:])


def folded(text: str) -> str:
    """The text as the index compares it, without case and accents; every character keeps its position.

    >>> folded("Zürich, Łódź")
    'zurich, łodz'
    """
    return text.lower() if text.isascii() else text.translate(_FOLDING)


class _Folding(dict[int, str]):
    def __missing__(self, code: int) -> str:
        base = unicodedata.normalize("NFD", chr(code))[0]
        lower = base.lower()
        self[code] = lower if len(lower) == 1 else base
        return self[code]


_FOLDING = _Folding()


def _best(matches: list[tuple[int, str]]) -> int:
    """Where the stretch with the most distinct words begins, the first of several."""
    length = SNIPPET_CHARS - _BEFORE
    if len({word for _, word in matches}) == 1:
        return matches[0][0]

    def words(at: int) -> int:
        return len({word for start, word in matches if at <= start < at + length})

    return max((at for at, _ in matches), key=words, default=0)


def _from(text: str, at: int) -> str:
    """An excerpt around a place, cut between words."""
    start = max(0, at - _BEFORE)
    if start:
        start = text.find(" ", start, at) + 1 or at
    end = min(len(text), start + SNIPPET_CHARS)
    if end < len(text):
        cut = text.rfind(" ", start, end)
        end = cut if cut > at else end
    piece = " ".join(text[start:end].split())
    return f"{'… ' if start else ''}{piece}{' …' if end < len(text) else ''}"


@lru_cache(maxsize=64)
def _pattern(query: Query) -> re.Pattern[str] | None:
    # The longest first: an alternative that is a prefix of another would hide it.
    terms = sorted(chain(*query.groups), key=lambda term: -len(term.text))
    forms = list(filter(None, map(_form, terms)))
    return re.compile("|".join(forms)) if forms else None


def _form(term: Term) -> str:
    if whole_name(term.text) and not term.prefix:
        return rf"(?<!\w){re.escape(folded(term.text.rstrip('.,;!?')))}(?![^\W\d])"
    words = list(map(re.escape, _WORD.findall(folded(term.text))))
    if has_signs(term.text):
        return r"[\W_]*".join(words)
    phrase = r"[\W_]+".join(words)
    rest = r"[^\W_]*" if term.prefix else ""
    return rf"(?<![^\W_]){phrase}{rest}(?![^\W_])" if words else ""
