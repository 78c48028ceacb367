"""The words of a text as an index of word forms has them: one normal form, for what is indexed and what is asked.

An index splits at spaces and punctuation, folds case and stems. What it cannot know is done here, so that every store
finds the same words: scripts without spaces become overlapping groups of signs, names of programs (`os.path.join`,
`C++`, `__init__`, `getElementById`) are there whole and by their parts, and letters that are written in several ways
are written in one.
"""

from __future__ import annotations

import re
import unicodedata

from veille.core.language.cjk import has_signs, together
from veille.core.text import UNSPACED_LETTERS, UNSPACED_SIGNS

#: Two Chinese or Japanese signs are about a word; of Thai and the like, whose signs are letters, four are.
_SIGNS_AT_ONCE = 2
_LETTERS_AT_ONCE = 4
_RUN = re.compile(f"[{UNSPACED_SIGNS}]+|[{UNSPACED_LETTERS}]+")
_IS_SIGN = re.compile(f"[{UNSPACED_SIGNS}]")

#: Accents and vowel signs that are written or left out at will: combining ones, Hebrew and Arabic; and the Arabic
#: stretcher.
_OPTIONAL = re.compile("[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]+")
#: Letters that are written in several ways: Greek with accents, Russian ё, Arabic and Persian.
_VARIANTS = str.maketrans(
    "άέήίόύώϊϋΐΰΆΈΉΊΌΎΏ" + "ёЁ" + "أإآٱىيكة",
    "αεηιουωιυιυΑΕΗΙΟΥΩ" + "\u0435\u0415" + "ااااییکه",
)
_HAS_VARIANTS = re.compile("[\u0386-\u03cf\u0401\u0451\u0622-\u064a\u0671]")

#: Where a name of a program may be: a capital after a small letter, or a sign before a letter. That a pattern begins
#: with few characters makes it ten times as fast, and every text goes through it.
_JOINT = re.compile(r"[A-Z._:+#>](?:(?<=[a-z][A-Z])|(?<=[^A-Z])[\w+]|(?<=\w#))")
#: Such names: with dots, colons or underscores inside, underscores at the ends, or `++` and `#`.
_NAME = re.compile(r"\w+(?:(?:\.|::|->)\w+)+|\w*_\w+|[^\W\d_]\w{0,9}(?:\+\+|#)")
_NAME_SIGN = re.compile(r"[\w.:+#>-]+")
_HUMP = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
#: Longer names are data (hashes, Base64), not words that somebody asks for.
_LONGEST = 60
#: Signs inside names, as private letters: an index takes these for letters, and no text has them.
_PRIVATE = str.maketrans(".:_+#->", "\ue000\ue001\ue002\ue003\ue004\ue005\ue006")


def indexed(text: str) -> str:
    """The text to be put into an index of word forms; the order of its words means nothing.

    >>> indexed("新渡轮 sails"), indexed("ёж")
    (' 新渡 渡轮  sails', 'еж')
    >>> indexed("parseHtml").split()
    ['parseHtml', 'parse', 'Html']
    """
    text = together(text)
    names = _names(text)
    if not text.isascii():
        text = _OPTIONAL.sub("", text)
        if _HAS_VARIANTS.search(text):
            text = text.translate(_VARIANTS)
        if has_signs(text):
            text = _RUN.sub(_grams, text)
    return f"{text} {' '.join(names)}" if names else text


def asked(text: str) -> list[tuple[str, bool]]:
    """The words of a question as `indexed` has them, in order, with repetitions; and whether more may follow each.

    >>> asked("The ferry's harbour")
    [('The', False), ('ferry', False), ('s', False), ('harbour', False)]
    >>> asked("渡"), asked("渡轮")
    ([('渡', True)], [('渡轮', False)])
    """
    letters = "".join(letter if _is_letter(letter) else " " for letter in indexed(text))
    return [(word, _is_short_run(word)) for word in letters.split()]


def _names(text: str) -> list[str]:
    """What is added for names in a text: each whole, as one word, and the parts that an index would not see."""
    names: list[str] = []
    end = 0
    for joint in _JOINT.finditer(text):
        if joint.start() < end:
            continue
        start = joint.start()
        while start > end and joint.start() - start < _LONGEST and _NAME_SIGN.match(text[start - 1]):
            start -= 1
        found = _NAME_SIGN.match(text, start, start + _LONGEST + 1)
        end = found.end() if found else joint.end()
        if end - start <= _LONGEST:
            names += _parts(text[start:end].strip(".:->"))
    return names


def _parts(name: str) -> list[str]:
    whole = [name.translate(_PRIVATE)] if _NAME.fullmatch(name) else []
    humps = _HUMP.findall(name) if re.search("[a-z][A-Z]", name) else []
    return whole + humps


def _grams(run: re.Match[str]) -> str:
    """Overlapping groups of the signs of a run."""
    signs = run[0]
    size = _size(signs)
    return f" {' '.join([signs[at : at + size] for at in range(max(1, len(signs) - size + 1))])} "


def _size(run: str) -> int:
    return _SIGNS_AT_ONCE if _IS_SIGN.match(run) else _LETTERS_AT_ONCE


def _is_short_run(word: str) -> bool:
    """Whether a word is written without spaces, and too short to be a group of signs."""
    return has_signs(word) and len(word) < _size(word)


def _is_letter(sign: str) -> bool:
    return sign.isalnum() or unicodedata.category(sign) in {"Mn", "Mc", "Co"}
