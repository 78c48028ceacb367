"""The processes of a service: how they start, end together, and are killed when they hang."""

from __future__ import annotations

import json
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

from veille.adapters.workshop._starter import PROGRAM, nursery_ends, nursery_environment, use_nursery
from veille.lifeline import Lifeline, Watchdog
from veille.supervisor import ServicePlan, become

if TYPE_CHECKING:
    from collections.abc import Iterator

    from veille.bootstrap import App
    from veille.settings import Settings


def become_service(settings: Settings, web: str, listening: int, url: str) -> NoReturn:
    """Become the supervisor of a service: the module `web` serves HTTP on this socket, workers do the checks."""
    serve = settings.serve
    orders, nursery_end = nursery_ends()
    given = json.dumps({"data": str(settings.data), "serve": serve.model_dump(mode="json")})
    python, data = sys.executable, str(settings.data)
    become(
        ServicePlan(
            url=url,
            web=[python, "-m", web, given, str(listening), url, str(orders)],
            worker=[python, "-m", "veille", "work", "--data", data, "--nursery", str(orders), "--attached"],
            workers=(os.cpu_count() or 1) if serve.workers is None else serve.workers,
            nursery=[python, "-P", "-m", PROGRAM, str(nursery_end)],
            nursery_environment=nursery_environment(),
            listening=listening,
            orders=orders,
            nursery_end=nursery_end,
            stalled_s=serve.stalled_s,
            grace_s=serve.grace_s,
        )
    )


def tie(passed: str, nursery: int) -> Lifeline:
    """Make this process part of a service: it ends with the service, and uses its nursery for child processes."""
    lifeline = Lifeline(passed)
    use_nursery(nursery)
    return lifeline


@contextmanager
def watched(app: App, lifeline: Lifeline | None, *, for_good: bool) -> Iterator[None]:
    """Have a hanging worker killed: by its service, or, if it runs alone without an end, by its own watchdog."""
    watchdog = Watchdog(app.settings.serve.stalled_s)
    if lifeline or for_good:
        app.beat = (lifeline or watchdog).beat
    try:
        yield
    finally:
        watchdog.close()
