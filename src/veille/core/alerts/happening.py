"""What happens to sources and runs, for rules."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """A source that changed its state, or a run that ended."""

    at: int
    #: `health` or `run`, as `core.rules.facts.Occasion`.
    occasion: str
    source_id: str = ""
    state_before: str = ""
    state_after: str = ""
    code: str = ""
    message: str = ""
    #: Of a run: what ran, and whether it failed.
    run: str = ""
    has_failed: bool = False
    #: Given by the store.
    seq: int = 0
