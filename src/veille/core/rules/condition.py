"""The extension point for conditions: what a rule asks. One file each in `core/rules/conditions`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Final, Self

from veille.core.rules.facts import Occasion
from veille.core.rules.phrase import Phrase
from veille.core.rules.subject import Subject

PACKAGE = "veille.core.rules.conditions"
#: What can happen to a document.
CHANGES: Final = frozenset({"new", "changed", "removed"})
#: The changes after which there is a document.
STANDING: Final = frozenset({"new", "changed"})


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleNeeds:
    """What has to be known so that a condition, or a rule, can be judged."""

    #: On which occasions, and for a change of a document after which of `new`, `changed`, `removed` it can fire.
    occasions: frozenset[Occasion] = frozenset()
    changes: frozenset[str] = frozenset()
    #: Names of values, in small letters.
    values: frozenset[str] = frozenset()
    #: Of which values the extremes are needed, and of how many days.
    windows: frozenset[tuple[str, int]] = frozenset()
    #: Names of saved searches.
    searches: frozenset[str] = frozenset()
    #: How long a source has to be silent, in milliseconds.
    silences: frozenset[int] = frozenset()
    #: Whether the number of tellers is needed, and whether the texts are.
    tellers: bool = False
    text: bool = False

    def __or__(self, other: RuleNeeds) -> RuleNeeds:
        return RuleNeeds(
            occasions=self.occasions | other.occasions,
            changes=self.changes | other.changes,
            values=self.values | other.values,
            windows=self.windows | other.windows,
            searches=self.searches | other.searches,
            silences=self.silences | other.silences,
            tellers=self.tellers or other.tellers,
            text=self.text or other.text,
        )


NOTHING: Final = RuleNeeds()


class Condition(ABC):
    """One thing that a rule asks. To add one, put one file into `core/rules/conditions`.

    Subclasses are frozen dataclasses that derive from `StateCondition`, `EventCondition` or `WindowCondition`.
    """

    entry_points: ClassVar[str] = "veille.conditions"
    #: What it asks, in one line, and how it is written; for the reference. The first example is the usual form.
    help: ClassVar[str] = ""
    examples: ClassVar[tuple[str, ...]] = ()
    #: Phrases are offered to conditions with a lower order first.
    order: ClassVar[int] = 50
    #: On which occasions it can hold, and, of a change, after which kind of it.
    occasions: ClassVar[frozenset[Occasion]] = frozenset({Occasion.CHANGE})
    changes: ClassVar[frozenset[str]] = STANDING

    @classmethod
    @abstractmethod
    def parse(cls, phrase: Phrase) -> Self | None:
        """The condition that a phrase means; None if it means another. RuleError if it means this one, but wrongly."""

    @abstractmethod
    def holds(self, subject: Subject) -> bool:
        """Whether it holds after what happened."""

    @abstractmethod
    def found(self, subject: Subject) -> str:
        """What was found, in plain words; asked only where it holds."""

    def found_not(self, subject: Subject) -> str:
        """What was found where it does not hold, for rules that say `not`."""
        del subject
        return "this is not so"

    def quote(self, subject: Subject) -> str:
        """A passage of the text that shows it; empty if there is none."""
        del subject
        return ""

    @property
    def after(self) -> frozenset[str]:
        """After which kinds of change it can hold, as it was written: those of the class, or fewer."""
        return self.changes

    @property
    def certain(self) -> frozenset[str]:
        """After which kinds of change it always holds, so that a rule that denies it never fires on them."""
        return frozenset()

    @property
    def needs(self) -> RuleNeeds:
        """What has to be known; occasions and changes are filled in from the class."""
        return NOTHING


class StateCondition(Condition):
    """Something that is so for a time: it is news when it becomes so, or ends to be so."""

    @abstractmethod
    def held(self, subject: Subject) -> bool:
        """Whether it held before what happened."""


class EventCondition(Condition):
    """Something that happens: it is news whenever it holds. It never holds for what a first check finds."""


class WindowCondition(Condition):
    """A time in which a rule may fire: it is never news by itself."""

    occasions: ClassVar[frozenset[Occasion]] = frozenset(Occasion)
    changes: ClassVar[frozenset[str]] = CHANGES
