"""The words of a text as an index of word forms has them: one normal form, for what is indexed and what is asked.

An index splits at spaces and punctuation, folds case and stems. What it cannot know is done here, so that every store
finds the same words: scripts without spaces become overlapping groups of signs, names of programs (`os.path.join`,
`C++`, `__init__`, `getElementById`) are there whole and by their parts, and letters that are written in several ways
are written in one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from veille.core.compiled import BUILT, native
from veille.core.language.cjk import has_signs, together
from veille.core.search.endings import COMPOUNDING, backwards, beginning, end_of_compound, splits, tongue
from veille.core.text import UNSPACED_LETTERS, UNSPACED_SIGNS

#: Two Chinese or Japanese signs are about a word; of Thai and the like, whose signs are letters, four are.
_SIGNS_AT_ONCE = 2
_LETTERS_AT_ONCE = 4
_RUN = re.compile(f"[{UNSPACED_SIGNS}]+|[{UNSPACED_LETTERS}]+")
_IS_SIGN = re.compile(f"[{UNSPACED_SIGNS}]")
#: Chinese signs that are words of their own: a group with one of them is no word, and so rare that it would weigh much.
_SMALL_SIGNS = frozenset("的了吗呢么是在被")

#: Accents and vowel signs that are written or left out at will: combining ones, Hebrew and Arabic; and the Arabic
#: stretcher.
_OPTIONAL = re.compile("[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]+")
#: Letters that are written in several ways: Greek with accents, Russian ё, Arabic and Persian.
_VARIANTS = str.maketrans(
    "άέήίόύώϊϋΐΰΆΈΉΊΌΎΏ" + "ёЁ" + "أإآٱىيكة",
    "αεηιουωιυιυΑΕΗΙΟΥΩ" + "\u0435\u0415" + "ااااییکه",
)
_HAS_VARIANTS = re.compile("[\u0386-\u03cf\u0401\u0451\u0622-\u064a\u0671]")
#: First bytes of all these in UTF-8: testing bytes is faster than a pattern.
_BEGINNINGS = bytes(range(0xCC, 0xDA))

#: The Arabic article, with what is written before it.
_ARTICLE = re.compile("(?<![\u0620-\u06ff])[\u0648\u0641\u0628\u0643\u0644]?\u0627\u0644(?=[\u0620-\u06ff]{3})")

#: Where a name of a program may be: a capital after a small letter, or a sign before a letter. That a pattern begins
#: with few characters makes it ten times as fast, and every text goes through it.
_JOINT = re.compile(r"[A-Z._:+#>](?:(?<=[a-z][A-Z])|(?<=[^A-Z])[\w+]|(?<=\w#))")
#: Such names: with dots, colons or underscores inside, underscores at the ends, or `++` and `#`.
_NAME = re.compile(r"\.?\w+(?:(?:\.|::|->)\w+)+|\w*_\w+|[^\W\d_]\w{0,9}(?:\+\+|#)|\.[^\W\d_]\w+")
#: Those that are other words without their signs; they may be parts of a run, as in `C++-Code` and `__init__.py`.
_SIGNED = re.compile(r"(?<!\w)[^\W\d_]\w{0,9}(?:\+\+|#)|^\.[^\W\d_]\w+|(?<![^\W_])__\w+?__(?![^\W_])")
_NAME_SIGN = re.compile(r"[\w.:+#>-]+")
#: All up to the last run of such signs.
_BEFORE_NAME = re.compile(r"(?:.*[^\w.:+#>-])?", re.DOTALL)
_HUMPED = re.compile("[a-z][A-Z]")
_HUMP = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
#: Longer names are data (hashes, Base64), not words that somebody asks for.
_LONGEST = 60
#: Before words that are written backwards.
BACKWARDS = "\ue007"
#: Signs inside names, as private letters: an index takes these for letters, and no text has them.
_IS_CODE = re.compile("[\\d\ue000-\ue007]")
_PRIVATE = str.maketrans(".:_+#->", "\ue000\ue001\ue002\ue003\ue004\ue005\ue006")


def indexed(text: str, lang: str = "") -> str:
    """The text to be put into an index of word forms; the order of its words means nothing.

    If its language writes compounds as one word, or is not known, these are there a second time, to be found by their
    last part.

    >>> indexed("新渡轮 sails"), indexed("ёж")
    (' 新渡 渡轮  sails', 'еж')
    >>> indexed("parseHtml").split()
    ['parseHtml', 'parse', 'Html']
    """
    text = together(text)
    may_compound = not lang or lang in COMPOUNDING
    return _in_one_form(text, [BACKWARDS + word for word in backwards(text)] if may_compound else [])


def _in_one_form(text: str, more: list[str]) -> str:
    names = _names(text) + more
    if not text.isascii():
        if _may_vary(text):
            text = _OPTIONAL.sub("", text)
            if _HAS_VARIANTS.search(text):
                text = _ARTICLE.sub("", text.translate(_VARIANTS))
        if has_signs(text):
            text = _RUN.sub(_grams, text)
    return f"{text} {' '.join(names)}" if names else text


def _may_vary(text: str) -> bool:
    written = text.encode("utf-8", "replace")
    return len(written.translate(None, _BEGINNINGS)) < len(written)


def asked(text: str) -> list[tuple[str, bool]]:
    """The words of a question as `indexed` has them, in order, with repetitions; and whether more may follow each.

    >>> asked("What is in the harbour?")
    [('What', False), ('is', False), ('in', False), ('the', False), ('harbour', False)]
    >>> asked("渡"), asked("渡轮")
    ([('渡', True)], [('渡轮', False)])
    """
    words = _split(text)
    lang = tongue([word.lower() for word in words])
    found = [_asked(word, lang) for word in words]
    return [one for one in found if not _SMALL_SIGNS.intersection(one[0])] or found


def plain_words(text: str) -> list[tuple[str, bool]]:
    """The words by which a question is known to be in the language of a text: as they are, without numbers and names.

    >>> plain_words("4.1 Localización")
    [('Localización', False)]
    """
    words = [word for word in _split(text) if not _IS_CODE.search(word)]
    return [(word, has_signs(word) and len(word) < _size(word)) for word in words]


def alternatives(word: str) -> Iterator[list[tuple[str, bool]]]:
    """What a word that no document has may be found by: its beginning, compounds that end with it, its parts.

    Compounds are not looked for if some documents have the word itself: these are better, and would be no better off.

    >>> [words[0][0].strip(BACKWARDS) for words in alternatives("Verschlüsselungen")][:2]
    ['verschlüsselung', 'gnulessülhcsrev']
    """
    if end := end_of_compound(word):
        yield [(end[::-1], True)]
        yield [(BACKWARDS + end, True)]
        for parts in splits(word):
            yield [(part, False) for part in parts]


def _split(text: str) -> list[str]:
    return "".join(letter if _is_letter(letter) else " " for letter in _in_one_form(together(text), [])).split()


def _asked(word: str, lang: str) -> tuple[str, bool]:
    if has_signs(word):
        return word, len(word) < _size(word)
    begun = beginning(word.lower(), lang)
    return begun or word, bool(begun)


def _names(text: str) -> list[str]:
    """What is added for names in a text: each whole, as one word, and the parts that an index would not see."""
    runs = native.runs(text, _LONGEST) if BUILT else _plain_runs(text)
    return [part for run in runs for part in _parts(run)]


def _plain_runs(text: str) -> list[str]:
    """The runs of signs that may be names: the reference for the compiled code."""
    runs: list[str] = []
    end = 0
    for joint in _JOINT.finditer(text):
        if joint.start() < end:
            continue
        before = _BEFORE_NAME.match(text, max(end, joint.start() - _LONGEST), joint.start())
        start = before.end() if before else joint.start()
        found = _NAME_SIGN.match(text, start, start + _LONGEST + 1)
        end = found.end() if found else joint.end()
        if end - start <= _LONGEST:
            runs.append(text[start:end])
    return runs


def whole_name(text: str) -> str:
    """A name that is another word without its signs, as an index of word forms has it; empty if it is none.

    >>> [whole_name(text) != "" for text in ("C++", "C#,", ".NET", "__init__", "node.js", "C", "end.", "3.14")]
    [True, True, True, True, False, False, False, False]
    """
    name = _trimmed(text.strip("\"'(),;!?"))
    return name.translate(_PRIVATE) if len(name) <= _LONGEST and _SIGNED.fullmatch(name) else ""


def whole_names(text: str) -> set[str]:
    """All such names in a text, in lower case."""
    return {name.lower() for name in _names(together(text))}


def _trimmed(name: str) -> str:
    """Without signs at the ends that belong to the sentence; a dot may begin a name (`.NET`)."""
    name = name.rstrip(".:->").lstrip(":->")
    return name if name.startswith(".") and not name.startswith("..") else name.lstrip(".:->")


@lru_cache(maxsize=4096)
def _parts(run: str) -> tuple[str, ...]:
    name = _trimmed(run)
    whole = [name.translate(_PRIVATE)] if _NAME.fullmatch(name) else []
    whole += [part.translate(_PRIVATE) for part in _SIGNED.findall(name) if part != name or not whole]
    humps = _HUMP.findall(name) if _HUMPED.search(name) else []
    return (*whole, *humps)


def _grams(run: re.Match[str]) -> str:
    """Overlapping groups of the signs of a run."""
    signs = run[0]
    size = _size(signs)
    return f" {' '.join([signs[at : at + size] for at in range(max(1, len(signs) - size + 1))])} "


def _size(run: str) -> int:
    return _SIGNS_AT_ONCE if _IS_SIGN.match(run) else _LETTERS_AT_ONCE


def _is_letter(sign: str) -> bool:
    return sign.isalnum() or unicodedata.category(sign) in {"Mn", "Mc", "Co"}
