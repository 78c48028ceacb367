"""Repair rules: each detects one fault of a source, and proposes a change with its proof. One file each.

Rules are pure. A rule that needs more facts returns a probe, is called again with its result, and so on.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from veille.core.models import Json, Source, State
from veille.core.records import RunItem
from veille.core.traffic import Failure, Payload
from veille.registry import load_all

if TYPE_CHECKING:
    from veille.core.discover.examined import Examined
    from veille.core.seek.candidates import ProvenChange

PACKAGE = "veille.core.repair"


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """A change of a source. It is applied immediately, logged and can be undone; or only proposed, if not automatic."""

    rule: str
    source_id: str
    #: New values by field of the source; under `config` single options, None removes an option.
    change: Json
    #: Why: what was observed, so that a person can verify it.
    proof: str
    automatic: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A probe that a rule needs before it can decide."""

    url: str
    user_agent: str = ""
    #: What is to be looked for in the answer, see `core.seek.again.Sought`; empty: nothing.
    seek: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The result of a probe, and whether robots.txt allows it: `allowed`, `forbidden`, `unknown`.

    Rules run in the process of the service or worker: they parse nothing themselves, but use `seen`.
    """

    answer: Payload | Failure
    robots: str = ""
    #: None if there was no answer, or it could not be read in time.
    seen: Examined | None = None
    #: What was looked for and found, the most like first.
    found: tuple[ProvenChange, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A source after its last check, the results of its checks (newest first), and the probes since."""

    source: Source
    history: Sequence[RunItem] = ()
    looks: Mapping[Wanted, Shown] = field(default_factory=dict)
    #: Whether the dossier has a document with this key.
    knows: Callable[[str], bool] = lambda _: False

    def repair(self, rule: str, change: Json, proof: str, *, automatic: bool = True) -> Repair:
        return Repair(rule=rule, source_id=self.source.id, change=change, proof=proof, automatic=automatic)

    def broken(self, rule: str, proof: str) -> Repair:
        """Mark the source as broken until a person or the sweeper resets it: for faults without another repair."""
        return self.repair(rule, {"state": State.BROKEN.value}, proof)


Proposal = Repair | Wanted | None


class RepairRule(ABC):
    """A rule for one fault of a source. To add one, put one file into `core/repair`."""

    entry_points: ClassVar[str] = "veille.repairs"
    #: The first rule that returns something decides; lower is earlier.
    order: ClassVar[int] = 50
    #: When it applies and what it does, for the reference.
    when: ClassVar[str] = ""
    does: ClassVar[str] = ""

    @abstractmethod
    def propose(self, case: Case) -> Proposal:
        """A repair, a probe that is needed first, or None if this rule does not apply."""


def rules() -> list[RepairRule]:
    """All rules, sorted by `order`."""
    return sorted((rule() for rule in load_all(PACKAGE, RepairRule).values()), key=lambda rule: rule.order)


def diagnosed(case: Case) -> Proposal:
    """The verdict of the first rule that applies."""
    return next((verdict for rule in rules() if (verdict := rule.propose(case)) is not None), None)
