"""Repair rules: each knows one way a source goes wrong, and what to change about it, with the proof. One file each.

Rules are pure. One that has to see something first asks for a look, is asked again with what that showed, and so on.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from veille.core.discover.examined import Seen
from veille.core.models import Json, Source, State
from veille.core.records import RunItem
from veille.core.traffic import Failure, Payload
from veille.registry import load_all

PACKAGE = "veille.core.repair"


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """A change of a source. It is applied at once, noted and undone at will; or only proposed, if not automatic."""

    rule: str
    source_id: str
    #: What is set, by the name of the source's field; under `config` single options, None for those to be taken away.
    change: Json
    #: Why: what was observed, in words a person can check.
    proof: str
    automatic: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A look that a rule needs before it can tell."""

    url: str
    user_agent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a look showed, and whether robots.txt allows it: `allowed`, `forbidden`, `unknown`.

    Rules run where a service or a worker runs: they parse nothing, and go by what was seen in the answer.
    """

    answer: Payload | Failure
    robots: str = ""
    #: None when nothing came, or it could not be read in time.
    seen: Seen | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A source as its last check left it, what its checks came to (newest first), and what was looked at since."""

    source: Source
    history: Sequence[RunItem] = ()
    looks: Mapping[Wanted, Shown] = field(default_factory=dict)
    #: Whether the dossier has a document with this key.
    knows: Callable[[str], bool] = lambda _: False


Verdict = Repair | Wanted | None


class Rule(ABC):
    """One way a source goes wrong. To add one, put one file into `core/repair`."""

    entry_points: ClassVar[str] = "veille.repairs"
    #: The first rule that has something to say decides; lower is earlier.
    order: ClassVar[int] = 50
    #: When it applies and what it does, for the reference.
    when: ClassVar[str] = ""
    does: ClassVar[str] = ""

    @abstractmethod
    def propose(self, case: Case) -> Verdict:
        """A repair, a look that is needed first, or None when this rule sees nothing."""


def rules() -> list[Rule]:
    """All rules in the order they are asked in."""
    return sorted((rule() for rule in load_all(PACKAGE, Rule).values()), key=lambda rule: rule.order)


def diagnosed(case: Case) -> Verdict:
    """What the first rule that has something to say says."""
    return next((verdict for rule in rules() if (verdict := rule.propose(case)) is not None), None)


def proposals(case: Case) -> list[Repair]:
    """What all rules propose for a source without another look."""
    return [repair for rule in rules() if isinstance(repair := rule.propose(case), Repair)]


def broken(rule: str, source: Source, proof: str) -> Repair:
    """Leave it alone until a person, or the sweeper, finds it well: what all rules do that know no better."""
    return Repair(rule=rule, source_id=source.id, change={"state": State.BROKEN.value}, proof=proof)
