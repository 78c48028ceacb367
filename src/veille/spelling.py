"""Suggestions for misspelled names."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(name: str, known: Iterable[str], closeness: float = 0.6) -> str:
    """A sentence with the nearest known name, with a space before it; empty if none is near."""
    found = get_close_matches(name, known, n=1, cutoff=closeness)
    return f" Did you mean {found[0]}?" if found else ""
