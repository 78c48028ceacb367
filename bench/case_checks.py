"""What the store's side of a check costs: claim, decide and commit, without the fetch and the reading.

1,000 pages of one dossier are checked four times: when they are new, unchanged (the same bytes), the same text in other
bytes, and changed. Then two workers share 1,000 due sources of one dossier, and the share of each is told.
"""

from __future__ import annotations

import json
import os
import random
import tempfile
import threading
import time
from functools import cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

    from veille.bootstrap import App
    from veille.core.models import Lease, Reading
    from veille.core.tasks import Task
    from veille.core.traffic import Failure, Order, Payload

Result = TypeVar("Result")

PAGES = 1_000
HOSTS = 250
ROUNDS = 3
#: Of the due sources each of two workers is to get at least this share.
LEAST_SHARE = 0.3

NOW = 1_700_000_000_000
HOUR = 3_600_000

_numbers = count(1)


class Served:
    """A fetcher whose answers are there at once: a page in one of its versions."""

    def __init__(self, version: str) -> None:
        self.version = version
        self._answers: list[tuple[str, Payload | Failure]] = []

    def submit(self, order: Order) -> None:
        from veille.core.fingerprint import raw_hash
        from veille.core.traffic import Payload

        body = page(order.url, self.version)
        answer = Payload(
            url=order.url,
            status=200,
            body=body,
            fetched_at=NOW,
            final_url=order.url,
            media_type="text/html",
            raw_hash=raw_hash(body),
        )
        self._answers.append((order.key, answer))

    def collect(self, timeout: float) -> list[tuple[str, Payload | Failure]]:
        del timeout
        answers, self._answers = self._answers[:64], self._answers[64:]
        return answers

    @property
    def load(self) -> int:
        return len(self._answers)

    def send_until(self, at: int) -> None:
        del at

    def pause(self, hosts: Iterable[str]) -> list[str]:
        return list(hosts)

    def rest(self, hosts: Iterable[str]) -> list[str]:
        return list(hosts)

    def resume(self, hosts: Iterable[str]) -> None:
        del hosts

    def drop(self) -> None: ...

    def close(self) -> None:
        """Nothing is open."""


class Prepared:
    """A workshop that notes how long reading took, so that it can be taken off."""

    load = 0

    def __init__(self) -> None:
        self.cpu_s = 0.0

    def read(self, lease: Lease, answer: Payload | Failure) -> Reading:
        from veille.core.change.reading import findings, reading_of, unread
        from veille.core.traffic import Failure

        begun = time.thread_time()
        reading = unread(lease, answer)
        if reading is None:
            assert not isinstance(answer, Failure)
            reading = reading_of(lease, answer, findings(lease.source, lease.request, answer))
        self.cpu_s += time.thread_time() - begun
        return reading

    def submit(self, key: str, lease: Lease, answer: Payload | Failure) -> Reading:
        del key
        return self.read(lease, answer)

    def collect(self, timeout: float) -> list[tuple[str, Reading]]:
        del timeout
        return []

    def run(self, task: Task[Result], body: bytes = b"", *, group: str = "") -> Result | Failure:
        del group
        return task.run(body)

    def prepare(self) -> None:
        """Nothing has to start."""

    def close(self) -> None:
        """Nothing is open."""


def main() -> dict[str, Any]:
    best: dict[str, float] = {}
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory(prefix="veille-checks-") as folder:
            for name, cost in costs_of(Path(folder)).items():
                best[name] = min(best.get(name, cost), cost)
    print(f"\nchecks: claim, decide and commit, {PAGES:,} pages of one dossier")
    for name, cost in best.items():
        print(f"{name:>12}  {cost * 1000:7.3f} ms of CPU a check")
    with tempfile.TemporaryDirectory(prefix="veille-checks-") as folder:
        shares = _shares(Path(folder))
    fair = min(shares) >= LEAST_SHARE
    told = " and ".join(f"{share:.0%}" for share in shares)
    print(f"two workers got {told} of {PAGES:,}, at least {LEAST_SHARE:.0%} each: {'ok' if fair else 'NOT FAIR'}")
    return {"cpu_ms": {name: round(cost * 1000, 4) for name, cost in best.items()}, "shares": shares}


def costs_of(folder: Path) -> dict[str, float]:
    """CPU seconds a check, by what it came to."""
    now = NOW
    costs = {}
    with _filled(folder, lambda: now) as app:
        for name, version in (("new", "1"), ("unchanged", "1"), ("same text", "1b"), ("changed", "2")):
            costs[name] = _checked(app, version, expected="same" if name in {"unchanged", "same text"} else name)
            now += 2 * HOUR
    return costs


def _checked(app: App, version: str, expected: str) -> float:
    from collections import Counter

    from veille.core.models import Plan, Scope

    worker, workshop = worker_of(app, version)
    for url in urls():
        page(url, version)
    found: Counter[str] = Counter()

    def count(plan: Plan) -> None:
        found.update(item.change.value for item in plan.items)

    begun = time.thread_time()
    # Changed pages are looked at twice.
    worker.drain(Scope(), count)
    cost = time.thread_time() - begun - workshop.cpu_s
    if found != {expected: PAGES}:
        raise RuntimeError(f"{PAGES} {expected} were to come of it, not {dict(found)}")
    return cost / PAGES


def _shares(folder: Path) -> list[float]:
    """Which share of what is due each of two workers got that begin at the same moment."""
    from veille.core.models import Plan, Scope

    with _filled(folder, lambda: NOW):
        pass
    counts = [0, 0]
    start = threading.Barrier(2)

    def work(number: int) -> None:
        import veille

        with veille.open_app(data=folder, clock=lambda: NOW) as app:
            worker, _ = worker_of(app, "1")

            def count(plan: Plan) -> None:
                del plan
                counts[number] += 1

            start.wait()
            worker.drain(Scope(), count)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if sum(counts) != PAGES:
        raise RuntimeError(f"{counts} were checked, {PAGES} are due")
    return [count / PAGES for count in counts]


def worker_of(app: App, version: str, room: int = 512) -> tuple[Any, Prepared]:
    """A worker that is given this version of every page, and what notes how long reading took."""
    from veille.services.watching.request_builder import Orders
    from veille.services.watching.watch import Tools, Worker, WorkerPace

    workshop = Prepared()
    tools = Tools(
        orders=Orders(app.vault, {}, {}), fetcher=Served(version), workshop=workshop, in_hand=app.store.in_hand()
    )
    name = f"worker {os.getpid()} {next(_numbers)}"
    pace = WorkerPace(name=name, lease_ms=HOUR, room=room, room_per_host=8, capacity=256)
    return Worker(pace, dossiers=app.dossiers, queue=app.queue, tools=tools, clock=app.clock), workshop


def _filled(folder: Path, clock: Any) -> App:
    import veille
    from veille.core.kinds import kind_of
    from veille.core.models import Source

    app = veille.open_app(data=folder, clock=clock)
    kind = kind_of("page", {})
    dossier = app.create_dossier("checks")
    with app.dossiers.open(dossier.id) as store, store.writing():
        for place, url in enumerate(urls()):
            source = Source(id=f"{place:06}", name=url, kind="page", url=url, created_at=NOW)
            store.sources.add(source, kind.start(source))
    app.queue.arm(dossier.id, NOW)
    return app


def urls() -> list[str]:
    """The addresses of all pages."""
    return [f"https://host{place % HOSTS}.example/{place}" for place in range(PAGES)]


@cache
def page(url: str, version: str) -> bytes:
    """An article of about 5 kB, the same for one address but for a paragraph in its second version."""
    draw = random.Random(url)
    paragraphs = [sentence(draw, 60) for _ in range(12)]
    if version == "2":
        paragraphs[5] = sentence(random.Random(url + version), 60)
    body = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    page = f"<html><title>{sentence(draw, 5)}</title><body><article>{body}</article><!-- {version} --></body></html>"
    return page.encode()


def sentence(draw: random.Random, words: int) -> str:
    return " ".join("".join(draw.choices("abcdefghilmnoprstuv", k=draw.randint(2, 9))) for _ in range(words)) + "."


if __name__ == "__main__":
    print(json.dumps(main()))
