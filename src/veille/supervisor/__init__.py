"""Supervises the processes of a service: starts them, restarts those that die or hang, and stops them at the end.

Runs as `python -m veille.supervisor PLAN`, and imports nothing else: it outlives all others, so it needs little memory
and has little that could fail.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, dataclass
from typing import NoReturn

#: Sent to the web process once, when it answers: it then prints how the first user logs in.
GREET = "greet"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServicePlan:
    """The processes of a service, as `veille serve` worked them out."""

    #: The address it listens on, for messages.
    url: str
    web: list[str]
    worker: list[str]
    workers: int
    nursery: list[str]
    nursery_environment: dict[str, str]
    #: The listening socket, and the two ends of the socket to the nursery.
    listening: int
    orders: int
    nursery_end: int
    stalled_s: float
    grace_s: float


def become(plan: ServicePlan) -> NoReturn:
    """Become the supervisor: the same process, but without the modules that were loaded to work out the plan."""
    ours, theirs = os.pipe()
    os.write(theirs, json.dumps(asdict(plan)).encode())
    os.close(theirs)
    for descriptor in (ours, plan.listening, plan.orders, plan.nursery_end):
        os.set_inheritable(descriptor, True)  # noqa: FBT003 - the signature is Python's
    os.execv(sys.executable, [sys.executable, "-m", __name__, str(ours)])  # noqa: S606 - our own program


def say(text: str) -> None:
    """Print a message for the operator."""
    print(text, file=sys.stderr, flush=True)  # noqa: T201 - this is how
