"""`matches /EUR [0-9]+/`: a pattern is found in the text, or in the title."""

from __future__ import annotations

from dataclasses import dataclass

from veille.core.rules.condition import RuleNeeds, StateCondition
from veille.core.rules.patterns import is_match, matched, read_pattern
from veille.core.rules.phrase import Phrase
from veille.core.rules.subject import Side, Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchesPattern(StateCondition):
    """A pattern is found."""

    help = (
        "A pattern (RE2) is found anywhere in the title or the text, or in the title alone. Case counts, unless an `i` "
        "follows the pattern; `^` and `$` are the ends of the text, and with `(?m)` of a line."
    )
    examples = ("matches /[0-9]+ places left/", "title matches /sale|offer/i", "text matches /(?m)^Open/")

    pattern: str
    in_title: bool = False

    @classmethod
    def parse(cls, phrase: Phrase) -> MatchesPattern | None:
        subject = phrase.take("title", "text", "page", "document", "it")
        if not phrase.take("matches", "match"):
            return None
        pattern = read_pattern(phrase)
        return cls(pattern=pattern, in_title=subject == "title") if pattern and phrase.is_over else None

    def _part(self, side: Side) -> bytes:
        return side.heading.encoded if self.in_title else side.encoded

    def holds(self, subject: Subject) -> bool:
        return subject.after.is_there and is_match(self.pattern, self._part(subject.after))

    def held(self, subject: Subject) -> bool:
        return subject.before.is_there and is_match(self.pattern, self._part(subject.before))

    def found(self, subject: Subject) -> str:
        del subject
        return f"the pattern is found in the {'title' if self.in_title else 'text'}"

    def found_not(self, subject: Subject) -> str:
        del subject
        return f"the pattern is not found in the {'title' if self.in_title else 'text'}"

    def quote(self, subject: Subject) -> str:
        return matched(self.pattern, self._part(subject.after))

    @property
    def needs(self) -> RuleNeeds:
        return RuleNeeds(text=True)
