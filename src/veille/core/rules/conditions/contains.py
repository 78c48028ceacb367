"""`"sold out" is there`: words are in the text, or in the title."""

from __future__ import annotations

from dataclasses import dataclass

from veille.core.rules.condition import RuleNeeds, StateCondition
from veille.core.rules.phrase import Phrase
from veille.core.rules.subject import Side, Subject
from veille.core.rules.words import WantedWords


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainsWords(StateCondition):
    """Words are there."""

    help = "Words are in the title or the text, or in the title alone. As long as they stay, that is no news."
    examples = (
        '"sold out" is there',
        'title contains "sale"',
        'text contains "smoked tea"',
        '"sold out" is still there',
    )

    wording: WantedWords
    in_title: bool = False

    @classmethod
    def parse(cls, phrase: Phrase) -> ContainsWords | None:
        in_title = False
        if phrase.take("title", "text", "page", "document", "it"):
            in_title = phrase.parts[0].text == "title"
            if not phrase.take("contains", "contain", "has", "includes", "include", "mentions", "mention"):
                return None
            found = phrase.text()
        else:
            found = phrase.text()
            if found is None or not phrase.take("is still there", "are still there", "is there", "are there"):
                if found is None or not phrase.take("is in", "are in"):
                    return None
                phrase.take("the")
                in_title = (written := phrase.take("title", "text", "page")) == "title"
                if not written:
                    return None
        return cls(wording=WantedWords(found), in_title=in_title) if found is not None and phrase.is_over else None

    def _is_in(self, side: Side) -> bool:
        part = side.heading if self.in_title else side
        return self.wording.is_in(part.folded, part.words)

    def holds(self, subject: Subject) -> bool:
        return self._is_in(subject.after)

    def held(self, subject: Subject) -> bool:
        return self._is_in(subject.before)

    def found(self, subject: Subject) -> str:
        del subject
        return f'"{self.wording.written}" is in the {"title" if self.in_title else "text"}'

    def found_not(self, subject: Subject) -> str:
        del subject
        return f'"{self.wording.written}" is not in the {"title" if self.in_title else "text"}'

    def quote(self, subject: Subject) -> str:
        return self.wording.quote(subject.after.title if self.in_title else subject.after.text)

    @property
    def needs(self) -> RuleNeeds:
        return RuleNeeds(text=True)
