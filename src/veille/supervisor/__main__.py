"""`python -m veille.supervisor PLAN`, where PLAN is a file descriptor."""

from __future__ import annotations

import json
import os
import sys
import time

from veille.signals import until_signal
from veille.supervisor import GREET, ServicePlan, say
from veille.supervisor._post import Post

#: How often the processes are checked.
TEND_EVERY_S = 0.25


class Crew:
    """The workers, the web process, and the nursery that their children come from. One thread calls it."""

    def __init__(self, plan: ServicePlan) -> None:
        stalled_s, orders = plan.stalled_s, plan.orders
        self.web = Post("web process", plan.web, stalled_s, (plan.listening, orders))
        self._workers = [Post("worker", plan.worker, stalled_s, (orders,)) for _ in range(plan.workers)]
        self._nursery = Post("nursery", plan.nursery, stalled_s, (plan.nursery_end,), plan.nursery_environment)
        self._told: tuple[int, int, int] | None = None

    def tend(self) -> None:
        """Start, restart and kill what has to be, and tell the web process about the workers, as it shows that."""
        for post in (self._nursery, self.web, *self._workers):
            post.tend()
        alive = sum(post.is_alive for post in self._workers)
        restarts = sum(max(0, post.restarts) for post in self._workers)
        news = (alive, restarts, self.web.restarts)
        if news != self._told:
            self.web.tell(f"{alive} {restarts}")
            self._told = news

    def end(self, grace_s: float) -> None:
        """Have them release their leases; those that take longer are killed, and their leases expire."""
        posts = (*self._workers, self.web)
        for post in posts:
            post.close()
        end = time.monotonic() + grace_s
        for post in posts:
            post.end(end)
        # Last: the others may have needed it until now.
        self._nursery.end(0)


def main() -> int:
    """Supervise until a signal arrives."""
    with os.fdopen(int(sys.argv[1])) as passed:
        plan = ServicePlan(**json.load(passed))
    crew = Crew(plan)
    web, is_announced = crew.web, False
    with until_signal() as stop:
        try:
            while not stop.is_set():
                crew.tend()
                if not is_announced and (status := web.failed_start) is not None:
                    # It printed the reason.
                    return status if status > 0 else 1
                if web.has_beaten and not is_announced:
                    is_announced = True
                    workers = f"{plan.workers} worker{'s' * (plan.workers != 1)}"
                    say(f"veille listens on {plan.url} with {workers}. Ctrl-C ends it.")
                    web.tell(GREET)
                stop.wait(TEND_EVERY_S)
            say("Ending: workers give back what they hold ...")
        finally:
            crew.end(plan.grace_s)
    return 0


if __name__ == "__main__":
    sys.exit(main())
