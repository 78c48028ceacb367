"""What a sweep found: the sources that failed, and which of them answer again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from veille.core.models import State

#: Sources that are named in what is kept of a sweep, those that answer again first; the rest is counted.
NAMED: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """What became of one failing source."""

    dossier_id: str
    source_id: str
    source_name: str
    url: str
    status_code: int
    #: Whether it answers again, and so begins anew.
    recovered: bool
    #: How it is now.
    state: State
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """A sweep that came to its end."""

    at: int
    #: How many sources were asked, and how many of them answer again.
    asked: int
    recovered: int
    found: tuple[Swept, ...]


def sweep_of(swept: list[Swept], at: int) -> Sweep:
    """What is kept of a sweep."""
    found = sorted(swept, key=lambda one: not one.recovered)[:NAMED]
    return Sweep(at=at, asked=len(swept), recovered=sum(one.recovered for one in swept), found=tuple(found))
