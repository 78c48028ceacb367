"""A rule as a tree of conditions, and when it fires: if it holds, and if something about it is news.

`not` is moved down to the conditions when a rule is read (`not (a or b)` is `not a and not b`), so that a tree has only
`and` and `or`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from veille.core.rules.condition import CHANGES, Condition, EventCondition, StateCondition, WindowCondition
from veille.core.rules.facts import Evidence, Occasion
from veille.core.rules.subject import Subject

#: An occasion, and for a change what kind of it.
Key = tuple[Occasion, str]
KEYS: Final[tuple[Key, ...]] = (
    *((Occasion.CHANGE, change) for change in sorted(CHANGES)),
    *((occasion, "") for occasion in Occasion if occasion is not Occasion.CHANGE),
)
_NEW: Final = (Occasion.CHANGE, "new")
#: Names of values of which at least one must be there; None if none has to; no names if nothing would do.
Anchors = frozenset[str] | None
_NEVER: Final[Anchors] = frozenset()


class Leaf:
    """A condition, and whether it is denied; the text is as it was written, with what denies it."""

    __slots__ = ("_holding", "_keys", "condition", "is_event", "is_window", "negated", "text")

    def __init__(self, condition: Condition, text: str, *, negated: bool) -> None:
        self.condition = condition
        self.text = text
        self.negated = negated
        self.is_event = isinstance(condition, EventCondition)
        self.is_window = isinstance(condition, WindowCondition)
        #: When it can hold, and when it can be news: of a new document everything is, and the end of a document can
        #: end a state, too.
        self._holding = _keys(condition.occasions, condition.after)
        changes = CHANGES if isinstance(condition, StateCondition) else condition.after | {"new"}
        self._keys = _keys(condition.occasions, changes)

    def holds(self, subject: Subject) -> bool:
        if subject.key not in self._holding or (self.is_event and subject.is_first):
            return self.negated
        return self.condition.holds(subject) is not self.negated

    def is_news(self, subject: Subject) -> bool:
        if self.is_window or subject.key not in self._keys:
            return False
        if subject.is_first:
            return not self.is_event
        if subject.is_new:
            return True
        condition = self.condition
        holds = self.holds(subject) is not self.negated
        return holds is not condition.held(subject) if isinstance(condition, StateCondition) else holds

    def evidence(self, subject: Subject) -> Iterator[Evidence]:
        condition = self.condition
        if self.negated:
            yield Evidence(condition=self.text, found=condition.found_not(subject))
        else:
            yield Evidence(condition=self.text, found=condition.found(subject), quote=condition.quote(subject))

    def anchors(self, key: Key) -> tuple[Anchors, Anchors]:
        """What must be there so that it holds, and so that it is news."""
        values = self.condition.needs.values or None
        if not self.negated:
            holds = values if key in self._holding else _NEVER
            return holds, _NEVER if self.is_window else holds
        if self.is_window or key not in self._keys:
            return None, _NEVER
        if key == _NEW:
            return None, _NEVER if key[1] in self.condition.certain else None
        return None, _NEVER if self.is_event else values

    def leaves(self) -> Iterator[Leaf]:
        yield self


@dataclass(frozen=True, slots=True)
class AllOf:
    """Holds if all parts do; it is news if one of them is."""

    parts: tuple[Leaf | AllOf | AnyOf, ...]

    def holds(self, subject: Subject) -> bool:
        for part in self.parts:  # noqa: SIM110 - this runs for every rule and change, and a generator takes twice as long
            if not part.holds(subject):
                return False
        return True

    def is_news(self, subject: Subject) -> bool:
        return any(part.is_news(subject) for part in self.parts)

    def evidence(self, subject: Subject) -> Iterator[Evidence]:
        for part in self.parts:
            yield from part.evidence(subject)

    def anchors(self, key: Key) -> tuple[Anchors, Anchors]:
        each = [part.anchors(key) for part in self.parts]
        return _both(*(holds for holds, _ in each)), _either(*(news for _, news in each))

    def leaves(self) -> Iterator[Leaf]:
        for part in self.parts:
            yield from part.leaves()


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Holds if one of the parts does; it is news if one that holds is."""

    parts: tuple[Leaf | AllOf | AnyOf, ...]

    def holds(self, subject: Subject) -> bool:
        for part in self.parts:  # noqa: SIM110 - as above
            if part.holds(subject):
                return True
        return False

    def is_news(self, subject: Subject) -> bool:
        return any(part.holds(subject) and part.is_news(subject) for part in self.parts)

    def evidence(self, subject: Subject) -> Iterator[Evidence]:
        for part in self.parts:
            if part.holds(subject):
                yield from part.evidence(subject)

    def anchors(self, key: Key) -> tuple[Anchors, Anchors]:
        each = [part.anchors(key) for part in self.parts]
        return _either(*(holds for holds, _ in each)), _either(*(_both(holds, news) for holds, news in each))

    def leaves(self) -> Iterator[Leaf]:
        for part in self.parts:
            yield from part.leaves()


Tree = Leaf | AllOf | AnyOf


def reach(tree: Tree) -> dict[Key, Anchors]:
    """On which occasions a rule can fire, and which values must be there then."""
    found = {key: _both(*tree.anchors(key)) for key in KEYS}
    return {key: anchors for key, anchors in found.items() if anchors != _NEVER}


def _keys(occasions: frozenset[Occasion], changes: frozenset[str]) -> frozenset[Key]:
    return frozenset(key for key in KEYS if key[0] in occasions and (not key[1] or key[1] in changes))


def _both(*sets: Anchors) -> Anchors:
    """All of these are needed: the one with the fewest names says most."""
    return min((one for one in sets if one is not None), key=len, default=None)


def _either(*sets: Anchors) -> Anchors:
    """One of these is enough."""
    named: frozenset[str] = frozenset()
    for one in sets:
        if one is None:
            return None
        named |= one
    return named
