"""`"smoked tea" appears`: words that were not there are there, or the other way round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from veille.core.rules.condition import CHANGES, EventCondition, RuleNeeds
from veille.core.rules.phrase import Phrase
from veille.core.rules.subject import Side, Subject
from veille.core.rules.words import WantedWords

_APPEARS: Final = ("appears", "appear", "shows up", "show up", "comes up", "come up")
_DISAPPEARS: Final = ("disappears", "disappear", "vanishes", "vanish", "is gone", "are gone", "is no longer there")
_ADDED: Final = ("is added", "are added")
_REMOVED: Final = ("is taken out", "are taken out", "is removed", "are removed")
#: Which way, and whether it counts how often they occur.
_MEANINGS: Final = {
    **dict.fromkeys(_APPEARS, (True, False)),
    **dict.fromkeys(_DISAPPEARS, (False, False)),
    **dict.fromkeys(_ADDED, (True, True)),
    **dict.fromkeys(_REMOVED, (False, True)),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsAppear(EventCondition):
    """Words come, or go."""

    help = (
        "Words that were nowhere in the title and text are there now, or are nowhere any more; with `is added` and "
        "`is removed`, they occur more often than before, or less often."
    )
    examples = ('"smoked tea" appears', '"sold out" disappears', '"smoked tea" is added', '"smoked tea" is removed')
    changes = CHANGES

    wording: WantedWords
    comes: bool
    counts: bool

    @classmethod
    def parse(cls, phrase: Phrase) -> WordsAppear | None:
        found = phrase.text()
        written = phrase.take(*_MEANINGS) if found is not None else ""
        if found is None or not written or not phrase.is_over:
            return None
        comes, counts = _MEANINGS[written]
        return cls(wording=WantedWords(found), comes=comes, counts=counts)

    @property
    def after(self) -> frozenset[str]:
        return frozenset({"changed", "new" if self.comes else "removed"})

    def _sides(self, subject: Subject) -> tuple[Side, Side]:
        """Where there has to be less of it, and where more."""
        sides = subject.before, subject.after
        return sides if self.comes else (sides[1], sides[0])

    def holds(self, subject: Subject) -> bool:
        less, more = self._sides(subject)
        wording = self.wording
        if not wording.is_in(more.folded, more.words) or less is more:
            return False
        if self.counts:
            return wording.count(less.folded, less.words) < wording.count(more.folded, more.words)
        return not wording.is_in(less.folded, less.words)

    def found(self, subject: Subject) -> str:
        less, more = self._sides(subject)
        written = f'"{self.wording.written}"'
        if not self.counts or not less.is_there:
            return f"{written} {'appeared' if self.comes else 'disappeared'}"
        counts = [self.wording.count(side.folded, side.words) for side in (less, more)]
        before, after = counts if self.comes else reversed(counts)
        return f"{written} occurs {after} {'time' if after == 1 else 'times'}, before {before}"

    def found_not(self, subject: Subject) -> str:
        del subject
        return f'"{self.wording.written}" did not {"appear" if self.comes else "disappear"}'

    def quote(self, subject: Subject) -> str:
        less, more = self._sides(subject)
        if self.counts and less.is_there:
            there = frozenset(less.body.splitlines())
            added = "\n".join(line for line in more.text.splitlines() if line not in there)
            return self.wording.quote(added) or self.wording.quote(more.text)
        return self.wording.quote(more.text)

    @property
    def needs(self) -> RuleNeeds:
        return RuleNeeds(text=True)
