"""`language is de`: the document is in a language."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from veille.core.rules.condition import RuleNeeds, StateCondition
from veille.core.rules.phrase import Phrase
from veille.core.rules.subject import Subject

_CODE: Final = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{2,8})*")
#: Languages that people write out.
_NAMES: Final = {
    "arabic": "ar",
    "chinese": "zh",
    "danish": "da",
    "dutch": "nl",
    "english": "en",
    "finnish": "fi",
    "french": "fr",
    "german": "de",
    "greek": "el",
    "italian": "it",
    "japanese": "ja",
    "korean": "ko",
    "norwegian": "no",
    "polish": "pl",
    "portuguese": "pt",
    "russian": "ru",
    "spanish": "es",
    "swedish": "sv",
    "turkish": "tr",
    "ukrainian": "uk",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class InLanguage(StateCondition):
    """A document is in a language."""

    help = "The document is in that language: a code of two or three letters, or the English name of a common one."
    examples = ("language is de", "language is German", "language = pt-br")

    code: str

    @classmethod
    def parse(cls, phrase: Phrase) -> InLanguage | None:
        if not phrase.take("language", "document language", "the language") or not phrase.take("is", "=", "=="):
            return None
        written = phrase.word("the code of a language, like de")
        if not written:
            return None
        code = _NAMES.get(written, written.replace("_", "-"))
        if not _CODE.fullmatch(code):
            phrase.fail("This is no code of a language. Write two or three letters: de, en, fr.")
        return cls(code=code) if phrase.is_over else None

    def _is_it(self, lang: str) -> bool:
        lang = lang.casefold().replace("_", "-")
        return lang == self.code or lang.startswith(self.code + "-")

    def holds(self, subject: Subject) -> bool:
        return self._is_it(subject.after.lang)

    def held(self, subject: Subject) -> bool:
        return self._is_it(subject.before.lang)

    def found(self, subject: Subject) -> str:
        return f"its language is {subject.after.lang or 'not known'}"

    found_not = found

    @property
    def needs(self) -> RuleNeeds:
        return RuleNeeds(text=True)
