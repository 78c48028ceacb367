"""Language detection: by script, then by statistics, then by very common short words.

Most scripts are used by one language; where several share one, statistics distinguish them. CLD2 comes first, as it
needs no loading. The model takes half a second and 100 MB, and is loaded only if CLD2 is not sure. English code and
menus are on pages of every language, so only lines of prose are examined if there are some.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import Any, Final

try:
    import pycld2
except ImportError:  # no wheel for this machine: the model gives the same result, at more cost
    pycld2 = None

#: The languages that are distinguished. More would mean more mistakes: rare ones would win titles of common ones.
LANGUAGES = (
    "af ar az be bg bn bs ca cs cy da de el en eo es et eu fa fi fr ga gl gu he hi hr hu hy id is it ja ka kk km kn ko "
    "la lb lt lv mk ml mn mr ms mt nb ne nl nn pa pl pt ro ru si sk sl sq sr sv sw ta te th tl tr uk ur uz vi xh zh zu"
).split()

#: Scripts besides Latin: their letters, the weight of each in Latin letters, and the languages written in them.
_SCRIPTS: Final = {
    "kana": ("\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f", 3, "ja"),
    "han": ("\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff", 3, "zh"),
    "hangul": ("\u1100-\u11ff\u3130-\u318f\uac00-\ud7af", 2, "ko"),
    "cyrillic": ("\u0400-\u052f", 1, "ru uk be bg mk sr kk mn"),
    "greek": ("\u0370-\u03ff\u1f00-\u1fff", 1, "el"),
    "hebrew": ("\u0590-\u05ff", 1, "he"),
    "arabic": ("\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufeff", 1, "ar fa ur"),
    "devanagari": ("\u0900-\u097f", 1, "hi mr ne"),
    "bengali": ("\u0980-\u09ff", 1, "bn"),
    "gurmukhi": ("\u0a00-\u0a7f", 1, "pa"),
    "gujarati": ("\u0a80-\u0aff", 1, "gu"),
    "tamil": ("\u0b80-\u0bff", 1, "ta"),
    "telugu": ("\u0c00-\u0c7f", 1, "te"),
    "kannada": ("\u0c80-\u0cff", 1, "kn"),
    "malayalam": ("\u0d00-\u0d7f", 1, "ml"),
    "sinhala": ("\u0d80-\u0dff", 1, "si"),
    "thai": ("\u0e00-\u0e7f", 1, "th"),
    "georgian": ("\u10a0-\u10ff\u1c90-\u1cbf", 1, "ka"),
    "armenian": ("\u0530-\u058f", 1, "hy"),
    "khmer": ("\u1780-\u17ff", 1, "km"),
}
_WORDS_IN: Final = {name: re.compile(f"[{letters}]+") for name, (letters, _, _) in _SCRIPTS.items()}
_LATIN: Final = re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")
_BEYOND: Final = re.compile("[\u0370-\u1dff\u1f00-\u1fff\u3040-\U0003ffff]+")
#: First bytes of these letters in UTF-8, and of hardly anything else.
_BEGINNINGS: Final = bytes([*range(0xCD, 0xE2), *range(0xE3, 0xF1)])
#: The minimum share of its letters for the script of a text; the rest are names, code and menus.
_MOSTLY: Final = 0.4
#: Japanese has at least this share of kana; a Chinese page may quote a few.
_SOME_KANA: Final = 0.1

#: Words that make up a good part of any text in one of these languages and are rare in the others.
_SMALL_WORDS = {
    "en": "the and of to that with for this are you",
    "de": "der die und den das nicht mit ist auf ein",
    "fr": "les des est le dans pour une qui sur pas",
    "es": "el los las y por una para del que con",
    "it": "il di che della per una sono gli nel non",
    "pt": "os do da em uma para não com ao que",
    "nl": "het een van dat voor niet zijn aan met op",
    "pl": "się nie jest że na przez oraz jak są dla",
    "sv": "och att som är det av för den inte på",
}
_LANGUAGE_OF = {
    word: [language for language, words in _SMALL_WORDS.items() if word in words.split()]
    for words in _SMALL_WORDS.values()
    for word in words.split()
}
#: The language is certain if its short words have this share of all words, and those of any other are far fewer.
_SURE_WORDS, _SURE_SHARE, _SURE_LEAD = 50, 0.03, 3

#: Shorter texts say too little; a declared language counts more than such a guess.
_ENOUGH = 40
#: In shorter texts, statistics may take a list of names for some language.
_ENOUGH_TO_DOUBT = 200
#: In a longer text, CLD2 is certain of every language that it knows.
_ENOUGH_TO_KNOW = 1000
#: A text with fewer different words has no language.
_FEWEST_WORDS = 5
_SEEN = 5000
#: A line of prose is longer than a menu entry, and has fewer symbols than code.
_LEAST_LINE = 40
_SYMBOL: Final = re.compile(r"[$#{}()\[\]=<>;|\\/_*&%@`~+]")
_MOST_SYMBOLS = 0.02
#: Languages with other codes in CLD2.
_OTHER_NAMES = {"iw": "he", "no": "nb"}


def language_of(text: str, hint: str = "") -> str:
    """The language (`en`), or the hint if the text is inconclusive, or empty."""
    declared = short_code(hint)
    whole = " ".join(text[: 2 * _SEEN].split())[:_SEEN]
    letters = sum(map(str.isalpha, whole))
    if letters < _ENOUGH:
        return declared
    script = script_of(whole)
    if script:
        return _in_script(whole, script, declared)
    text = _sentences(text) or whole
    if declared and letters < _ENOUGH_TO_DOUBT:
        # A list of names has no language, but a guess always names one.
        return _by_small_words(text) or declared
    found = _by_cld2(text) or _by_small_words(text) or declared
    # The model always names a language, and takes 90 MB. A long text that nothing else recognises has none.
    is_known = pycld2 is not None and letters > _ENOUGH_TO_KNOW
    return found or ("" if is_known or len(set(text.split())) < _FEWEST_WORDS else _by_model(text))


def short_code(language: str) -> str:
    """The code of a language without region: `pt` for `pt-BR`."""
    return language.replace("_", "-").partition("-")[0].strip().lower()


def script_of(text: str) -> str:
    """The main script of a text if it is not Latin; empty for Latin and for unknown scripts."""
    if text.isascii():
        return ""
    written = text.encode("utf-8", "replace")
    # Testing bytes is faster than the pattern, which few texts need.
    beyond = "".join(_BEYOND.findall(text)) if len(written.translate(None, _BEGINNINGS)) < len(written) else ""
    if not beyond:
        return ""
    counts = {name: worth * sum(map(len, _WORDS_IN[name].findall(beyond))) for name, (_, worth, _) in _SCRIPTS.items()}
    if counts["kana"] >= _SOME_KANA * (counts["kana"] + counts["han"]) > 0:
        counts["kana"] += counts.pop("han")
    best = max(counts, key=lambda name: counts[name])
    total = sum(counts.values()) + len(_LATIN.findall(text))
    return best if counts[best] > 0 and counts[best] >= _MOSTLY * total else ""


def languages_in(script: str) -> list[str]:
    """The languages that are written in a script, as `script_of` names it."""
    return _SCRIPTS[script][2].split()


def _sentences(text: str) -> str:
    """The beginning of a text in one line, without code and menus; empty if too little remains."""
    prose = " ".join(" ".join(line.split()) for line in text[: 2 * _SEEN].split("\n") if _is_prose(line))
    return prose[:_SEEN] if len(prose) >= _ENOUGH_TO_DOUBT else ""


def _is_prose(line: str) -> bool:
    return len(line) >= _LEAST_LINE and len(_SYMBOL.findall(line)) <= _MOST_SYMBOLS * len(line)


def contradicts(language: str, text: str) -> bool:
    """Whether a text is mostly in a script that the language does not use."""
    script = script_of(text[:_SEEN])
    return bool(script) and language not in languages_in(script)


def _in_script(text: str, script: str, declared: str) -> str:
    languages = languages_in(script)
    if len(languages) == 1:
        return languages[0]
    own = " ".join(_WORDS_IN[script].findall(text))
    for found in (_by_cld2(own), declared):
        if found in languages:
            return found
    found = _by_model(own)
    return found if found in languages else languages[0]


def _by_small_words(text: str) -> str:
    words = text.lower().split()
    if len(words) < _SURE_WORDS:
        return ""
    found = Counter(language for word in words for language in _LANGUAGE_OF.get(word, ()))
    (best, count), (_, second) = (*found.most_common(2), ("", 0), ("", 0))[:2]
    return best if count >= _SURE_SHARE * len(words) and count >= _SURE_LEAD * second else ""


def _by_cld2(text: str) -> str:
    if pycld2 is None:
        return ""
    try:
        is_sure, _, guesses = pycld2.detect(text)
    except (pycld2.error, ValueError):  # characters that it does not accept
        return ""
    name = guesses[0][1].partition("-")[0] if is_sure else ""
    language = _OTHER_NAMES.get(name, name)
    return language if language in LANGUAGES else ""


def _by_model(text: str) -> str:
    return str(_identifier().classify(text)[0])


@lru_cache(maxsize=1)
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415 - heavy, and seldom needed

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    known = set(identifier.labels)
    identifier.set_languages([language for language in LANGUAGES if language in known])
    return identifier
