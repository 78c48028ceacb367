"""The processes of a service: started, started again when they die or hang, and ended with it.

Runs as `python -m veille.supervisor PLAN`, and loads nothing else: it outlives everything, so it has next to no memory
and little that could fail.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, dataclass
from typing import NoReturn

#: What the process that answers requests is told once, when it answers: it says how the first user comes in.
GREET = "greet"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a service consists of, as `veille serve` has worked it out."""

    #: Where it listens, for people.
    url: str
    web: list[str]
    worker: list[str]
    workers: int
    nursery: list[str]
    nursery_environment: dict[str, str]
    #: The listening socket, and the two ends of the line to the nursery.
    listening: int
    orders: int
    nursery_end: int
    stalled_s: float
    grace_s: float


def become(plan: Plan) -> NoReturn:
    """Go on as the supervisor, in the same process but without all that was loaded to work out the plan."""
    ours, theirs = os.pipe()
    os.write(theirs, json.dumps(asdict(plan)).encode())
    os.close(theirs)
    for descriptor in (ours, plan.listening, plan.orders, plan.nursery_end):
        os.set_inheritable(descriptor, True)  # noqa: FBT003 - the signature is Python's
    os.execv(sys.executable, [sys.executable, "-m", __name__, str(ours)])  # noqa: S606 - our own program


def say(text: str) -> None:
    """Tell whoever watches the service."""
    print(text, file=sys.stderr, flush=True)  # noqa: T201 - this is how
