"""`python -m veille.supervisor PLAN`, where PLAN is a file descriptor."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from veille.signals import until_signal
from veille.supervisor import GREET, Plan, say
from veille.supervisor._post import Post

#: How often the processes are checked.
TEND_EVERY_S = 0.25


class Crew:
    """The workers, the web process, and the nursery that their children come from.

    `tend` is called regularly, by one thread. At the end they have `grace_s` to release their leases; then they are
    killed, and their leases expire.
    """

    def __init__(
        self, web: Post, workers: list[Post], nursery: Post, say: Callable[[str], None], *, grace_s: float
    ) -> None:
        self._grace_s = grace_s
        self.web = web
        self._workers = workers
        self._nursery = nursery
        self._say = say
        self._told: tuple[int, int, int] | None = None

    def __enter__(self) -> Self:
        self.tend()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for post in (*self._workers, self.web):
            post.close()
        end = time.monotonic() + self._grace_s
        for post in (*self._workers, self.web):
            post.end(end)
        # Last: the others may have needed it until now.
        self._nursery.kill()

    def tend(self) -> None:
        for post in (self._nursery, self.web, *self._workers):
            post.tend(self._say)
        self._report()

    def _report(self) -> None:
        """Report the state of the workers to the web process, which shows it."""
        alive, restarts = (
            sum(post.is_alive for post in self._workers),
            sum(max(0, post.restarts) for post in self._workers),
        )
        news = (alive, restarts, self.web.restarts)
        if news != self._told:
            self.web.tell(f"{alive} {restarts}\n")
            self._told = news


def main() -> int:
    """Supervise until a signal arrives."""
    with os.fdopen(int(sys.argv[1])) as passed:
        plan = Plan(**json.load(passed))
    web = Post("web process", plan.web, plan.stalled_s, (plan.listening, plan.orders))
    workers = [Post("worker", plan.worker, plan.stalled_s, (plan.orders,)) for _ in range(plan.workers)]
    nursery = Post("nursery", plan.nursery, plan.stalled_s, (plan.nursery_end,), plan.nursery_environment)
    with until_signal() as stop, Crew(web, workers, nursery, say, grace_s=plan.grace_s) as crew:
        while not (stop.is_set() or web.has_beaten):
            if (status := web.failed_start) is not None:
                # It printed the reason.
                return status if status > 0 else 1
            crew.tend()
            stop.wait(TEND_EVERY_S)
        if web.has_beaten:
            say(f"veille listens on {plan.url} with {plan.workers} worker{'s' * (plan.workers != 1)}. Ctrl-C ends it.")
            web.tell(f"{GREET}\n")
        while not stop.wait(TEND_EVERY_S):
            crew.tend()
        say("Ending: workers give back what they hold ...")
    return 0


if __name__ == "__main__":
    sys.exit(main())
