"""Where sentences begin and end, in many languages, as places in the text.

Rules only, no dictionary: signs that end a sentence in each script, a short list of abbreviations, and lines. In doubt
nothing is split: half a sentence misleads more than two together do. Thai, Lao, Burmese and Khmer have spaces between
clauses and few signs; there a space ends a sentence that is long enough.
"""

# ruff: noqa: RUF001 - signs and abbreviations as they are written

from __future__ import annotations

import re
from typing import Final

from veille.core.text import UNSPACED_LETTERS

Span = tuple[int, int]

_CLOSING: Final = "\"'”’»›)\\]」』】）》〉"
#: Every place where a sentence may end; `_goes_on` judges it. Runs are possessive: a line of dots is read once.
_END: Final = re.compile(
    rf"(?P<line>[^\S\n]*+\n\s*+)"
    rf"|(?P<sure>[。！？｡।॥။۔։።፧៕།]++[{_CLOSING}]*+\s*+)"
    rf"|(?P<dot>(?<![.!?…؟])[.!?…؟]++[{_CLOSING}]*+[^\S\n]++(?!\n))"
    rf"|(?P<greek>(?<=[Ͱ-Ͽἀ-῿])[;;][{_CLOSING}]*+[^\S\n]++(?!\n))"
    rf"|(?P<space>(?<=[{UNSPACED_LETTERS}])[^\S\n]++(?=[{UNSPACED_LETTERS}]))"
)
#: The words before a full stop that ends no sentence, in lower case.
_ABBREVIATIONS: Final = frozenset(
    "al anm approx ave bd bldg bros bsp bzgl bzw ca capt cf cfr cpt dipl dott dr dra eds evtl fam frl hon hr hrsg"
    " incl ing inkl insb jr lt ltd mgr mlle mme mr mrs ms mts np prof resp sen sgt sig sog sr sra srta st ste tel tzw"
    " univ vgl viz vs z zit zzgl inż г гг д им л н напр обл пр проф см ср ст т тел ул ч".split()
)
#: Of these only before a number: most are also words, as in "He said no. Then he left."
_BEFORE_NUMBERS: Final = frozenset(
    "abb abs apr art aug cap ch chap dec dez feb fig figs jan kap mar nov no nos nr nrn núm oct okt op p pag par pos pp"
    " pág ref s sec sect sep sept sez str tab tél vol vols ziff ust poz п рис с стр табл".split()
)
#: After a number and a stop these go on: "am 3. März", "im 19. Jahrhundert".
_AFTER_ORDINAL: Final = re.compile(
    r"(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez|Jahrhundert|Jahrestag|Geburtstag|Auflage|Jh|Platz|Bundes)"
)
#: How many digits an ordinal number has, or that of a list.
_ORDINAL: Final = 2
_LAST_WORD: Final = re.compile(r"[^\W\d_]+$|\d+$")
#: A line that is at least this long and ends without a sign is wrapped, and its sentence goes on in the next.
_WRAPPED: Final = 55
#: By how much the next line may be longer.
_RAGGED: Final = 15
#: In scripts that separate clauses by spaces, a sentence has at least so many characters.
_CLAUSES: Final = 60
_BULLET: Final = re.compile(r"[-*•‣▪◦–—#|>+]|\(?\w{1,3}[.)]\s")


def sentences(text: str) -> list[Span]:
    r"""The start and end of each sentence, in order; between them, before and after is only white space.

    >>> text = "Dr. Who came. Did he?\n\nYes"
    >>> [text[start:end] for start, end in sentences(text)]
    ['Dr. Who came.', 'Did he?', 'Yes']
    """
    found: list[Span] = []
    start = len(text) - len(text.lstrip())
    for match in _END.finditer(text, start):
        if match.end() >= len(text):
            break
        if not _goes_on(text, start, match):
            found.append((start, start + len(text[start : match.end()].rstrip())))
            start = match.end()
    if start < len(text.rstrip()):
        found.append((start, len(text.rstrip())))
    return found


def _goes_on(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether the sentence that began at `start` does not end here."""
    at, after = match.span()
    if match["line"] is not None:
        return _line_goes_on(text, start, at, after)
    if match["space"] is not None:
        return at - start < _CLAUSES
    return match["dot"] is not None and (text[after].islower() or _is_no_end(text, start, at, after))


def _is_no_end(text: str, start: int, at: int, after: int) -> bool:
    """Whether the full stop at a place belongs to an abbreviation or a number."""
    word = None if text[at] != "." or text.startswith("..", at) else _LAST_WORD.search(text, max(start, at - 20), at)
    if word is None:
        return False
    if word[0].isdecimal():
        is_first = not text[start : word.start()].strip("([ ")
        return len(word[0]) <= _ORDINAL and (is_first or _AFTER_ORDINAL.match(text, after) is not None)
    return _is_abbreviation(text, start, word, text[after])


def _is_abbreviation(text: str, start: int, word: re.Match[str], following: str) -> bool:
    short = word[0].casefold()
    if short in _ABBREVIATIONS or (short in _BEFORE_NUMBERS and following.isdecimal()):
        return True
    if len(short) > 1:
        return False
    # A letter within an abbreviation, as in "e.g." and "z. B."; or an initial, as in "J. Smith": "plan B." and
    # "vitamin C." follow a small word.
    before = text[start : word.start()].rstrip()
    return not before or before[-1] == "." or (word[0].isupper() and not before.rsplit(None, 1)[-1].islower())


def _line_goes_on(text: str, start: int, at: int, after: int) -> bool:
    if text.count("\n", at, after) > 1 or _BULLET.match(text, after):
        return False
    last = text[at - 1]
    if not (last.isalnum() or last in ",;-–(&/"):
        return False
    if text[after].islower():
        return True
    line = at - (text.rfind("\n", start, at) + 1 or start)
    # The lines of a wrapped text are of about the same length; a heading is followed by a longer one.
    is_wrapped = line >= _WRAPPED and (last.islower() or last == ",")
    return is_wrapped and (len(text) - after <= line + _RAGGED or "\n" in text[after : after + line + _RAGGED])
