"""The language of a text, guessed. The model is loaded when it is first needed: it takes a second and 100 MB."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

#: The languages that are told apart. More would mean more mistakes: each rare one takes titles from a common one.
LANGUAGES = (
    "af ar az be bg bn bs ca cs cy da de el en eo es et eu fa fi fr ga gl gu he hi hr hu hy id is it ja ka kk km kn ko "
    "la lb lt lv mk ml mn mr ms mt nb ne nl nn pa pl pt ro ru si sk sl sq sr sv sw ta te th tl tr uk ur uz vi xh zh zu"
).split()

#: Shorter texts say too little; a declared language counts more than such a guess.
_ENOUGH = 40
_SEEN = 5000


def language_of(text: str, hint: str = "") -> str:
    """The language (`en`), or what the hint says when there is too little text, or nothing."""
    declared = hint.replace("_", "-").partition("-")[0].lower()
    text = " ".join(text.split())[:_SEEN]
    if sum(letter.isalpha() for letter in text) < _ENOUGH:
        return declared
    language, _ = _identifier().classify(text)
    return str(language)


@lru_cache(maxsize=1)
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415 - heavy, and seldom needed

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    known = set(identifier.labels)
    identifier.set_languages([language for language in LANGUAGES if language in known])
    return identifier
