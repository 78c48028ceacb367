"""Result of a sweep: the failing sources, and which of them answer again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from veille.core.models import State

#: Maximum number of sources listed in a stored sweep, those that answer again first; the rest is only counted.
NAMED: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """The result for one failing source."""

    dossier_id: str
    source_id: str
    source_name: str
    url: str
    status_code: int
    #: Whether it answers again, so that it was reset.
    recovered: bool
    #: Its state after the sweep.
    state: State
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """A completed sweep."""

    at: int
    #: How many sources were probed, and how many of them answer again.
    asked: int
    recovered: int
    found: tuple[Swept, ...]


def sweep_of(swept: list[Swept], at: int) -> Sweep:
    """The record of a sweep to store."""
    found = sorted(swept, key=lambda one: not one.recovered)[:NAMED]
    return Sweep(at=at, asked=len(swept), recovered=sum(one.recovered for one in swept), found=tuple(found))
