"""All rules of a dossier, indexed: rules that cannot fire on a change are not even looked at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from veille.core.rules.facts import Facts
from veille.core.rules.rule import CompiledRule
from veille.core.rules.tree import Key


class _Scope(Protocol):
    """What `core.alerts.models.RuleScope` says."""

    @property
    def sources(self) -> tuple[str, ...]: ...

    @property
    def tags(self) -> tuple[str, ...]: ...


@dataclass(slots=True)
class _Shelf:
    """Rules of one scope and one occasion, by their places in the book."""

    #: Those that need no value.
    free: list[int] = field(default_factory=list)
    #: Those that need a value of this name.
    by_value: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))


class RuleBook:
    """Rules, found by the source, the tags, the occasion and the values of what happened."""

    def __init__(self, rules: Iterable[tuple[str, _Scope, CompiledRule]]) -> None:
        self.rules: dict[str, CompiledRule] = {}
        self._ids: list[str] = []
        self._shelves: dict[tuple[str, str, Key], _Shelf] = defaultdict(_Shelf)
        for place, (rule_id, scope, rule) in enumerate(rules):
            self.rules[rule_id] = rule
            self._ids.append(rule_id)
            for of, name in _places(scope):
                for key, anchors in rule.reach.items():
                    shelf = self._shelves[of, name, key]
                    for list_ in [shelf.free] if anchors is None else [shelf.by_value[one] for one in anchors]:
                        list_.append(place)

    def __len__(self) -> int:
        return len(self._ids)

    def candidates(self, facts: Facts) -> list[str]:
        """The ids of the rules that may fire on these facts, in the order of the book."""
        ids = self._ids
        return [ids[place] for place in self._candidates(facts)]

    def _candidates(self, facts: Facts) -> list[int]:
        found = list(self._lists(facts))
        if len(found) <= 1:
            return found[0] if found else []
        # A rule may be found by its source and by a tag.
        return sorted({place for places in found for place in places})

    def _lists(self, facts: Facts) -> Iterator[list[int]]:
        key = (facts.occasion, facts.change)
        names = {one.name.casefold() for one in facts.values if one.before is not None or one.after is not None}
        for of, name in (("", ""), ("source", facts.source_id), *(("tag", tag) for tag in facts.tags)):
            shelf = self._shelves.get((of, name, key))
            if shelf is None:
                continue
            if shelf.free:
                yield shelf.free
            if shelf.by_value:
                yield from (shelf.by_value[one] for one in names if one in shelf.by_value)


def _places(scope: _Scope) -> Iterator[tuple[str, str]]:
    """Under which names a rule is found."""
    if not scope.sources and not scope.tags:
        yield "", ""
    yield from (("source", one) for one in dict.fromkeys(scope.sources))
    yield from (("tag", one) for one in dict.fromkeys(scope.tags))
