"""Repair rules: each looks at what happened to a source and may propose a fix, with its proof. One file each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from veille.core.models import Json, Source
from veille.core.records import RunItem
from veille.registry import load_all

PACKAGE = "veille.core.repair"


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """A proposed change of a source. Nothing is changed until somebody applies it."""

    rule: str
    source_id: str
    #: What would be set, by the name of the source's field.
    change: Json
    #: Why: what was observed, in words a person can check.
    proof: str


class Rule(ABC):
    """One way a source goes wrong. To add one, put one file into `core/repair`."""

    entry_points: ClassVar[str] = "veille.repairs"

    @abstractmethod
    def propose(self, source: Source, history: Sequence[RunItem]) -> Repair | None:
        """A repair, or None when this rule sees nothing; the history is newest first."""


def proposals(source: Source, history: Sequence[RunItem]) -> list[Repair]:
    """What all rules propose for a source."""
    rules = load_all(PACKAGE, Rule).values()
    return [repair for rule in rules if (repair := rule().propose(source, history)) is not None]
