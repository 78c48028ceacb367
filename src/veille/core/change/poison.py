"""Requests that crash the worker that handles them: set aside after a few attempts, and retried seldom."""

from __future__ import annotations

from typing import Final

from veille.core.models import Request
from veille.core.outcomes import failure
from veille.core.traffic import Failure

POISON: Final = "poison"
#: Workers that a request may crash before it is set aside. A single one may have ended for other reasons.
MAX_DEATHS: Final = 3


def set_aside(request: Request) -> Failure | None:
    """The failure of a request that is set aside; None if it is not."""
    return failure(POISON, f"{request.deaths} in a row") if request.deaths >= MAX_DEATHS else None


def deaths_after(failed: Failure | None) -> int:
    """The count to store after a request: for one that was set aside, low enough for one attempt at the next check."""
    return MAX_DEATHS - 1 if failed is not None and failed.code == POISON else 0
