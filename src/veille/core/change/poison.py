"""Requests that end the process of whoever works on them: set aside after a few tries, and then tried seldom."""

from __future__ import annotations

from typing import Final

from veille.core.models import Request
from veille.core.outcomes import failure
from veille.core.traffic import Failure

POISON: Final = "poison"
#: Workers that a request may end before it is set aside. One may have ended for other reasons.
MAX_DEATHS: Final = 3


def set_aside(request: Request) -> Failure | None:
    """The failure of a request that is not asked for any more; None for one that is."""
    return failure(POISON, f"{request.deaths} in a row") if request.deaths >= MAX_DEATHS else None


def deaths_after(failed: Failure | None) -> int:
    """What is remembered once a request is done: of one that was set aside, enough for one try at its next turn."""
    return MAX_DEATHS - 1 if failed is not None and failed.code == POISON else 0
