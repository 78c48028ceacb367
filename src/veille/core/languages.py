"""The language of a text, guessed.

A longer text in a common language gives itself away by its smallest words. Most others are told by CLD2, which is there
at once; only for those it is not sure of is the model loaded, which takes half a second and 100 MB.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import Any

try:
    import pycld2
except ImportError:  # no wheel for this machine: the model tells the same, at more cost
    pycld2 = None

#: The languages that are told apart. More would mean more mistakes: each rare one takes titles from a common one.
LANGUAGES = (
    "af ar az be bg bn bs ca cs cy da de el en eo es et eu fa fi fr ga gl gu he hi hr hu hy id is it ja ka kk km kn ko "
    "la lb lt lv mk ml mn mr ms mt nb ne nl nn pa pl pt ro ru si sk sl sq sr sv sw ta te th tl tr uk ur uz vi xh zh zu"
).split()

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
    "ru": "и в на не что для по как это из",
}
_LANGUAGE_OF = {
    word: [language for language, words in _SMALL_WORDS.items() if word in words.split()]
    for words in _SMALL_WORDS.values()
    for word in words.split()
}
#: A text is sure to be in a language when its small words are this share of all, and those of any other far fewer.
_SURE_WORDS, _SURE_SHARE, _SURE_LEAD = 50, 0.03, 3

#: Shorter texts say too little; a declared language counts more than such a guess.
_ENOUGH = 40
_SEEN = 5000
#: Languages that CLD2 calls by other names.
_OTHER_NAMES = {"iw": "he", "no": "nb"}


def language_of(text: str, hint: str = "") -> str:
    """The language (`en`), or what the hint says when the text leaves a doubt, or nothing."""
    declared = hint.replace("_", "-").partition("-")[0].lower()
    text = " ".join(text.split())[:_SEEN]
    if sum(letter.isalpha() for letter in text) < _ENOUGH:
        return declared
    # A list of names is in no language, but a guess always names one.
    return _by_small_words(text) or declared or _by_cld2(text) or str(_identifier().classify(text)[0])


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
    except (pycld2.error, ValueError):  # characters that it does not take
        return ""
    name = guesses[0][1].partition("-")[0] if is_sure else ""
    language = _OTHER_NAMES.get(name, name)
    return language if language in LANGUAGES else ""


@lru_cache(maxsize=1)
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415 - heavy, and seldom needed

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    known = set(identifier.labels)
    identifier.set_languages([language for language in LANGUAGES if language in known])
    return identifier
