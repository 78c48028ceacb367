"""Watch a site that is edited and that changes by itself; compare what was told with what was done."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from changes.web import Round, Web
from veille.core.models import Change, Scope
from veille.core.schedule import CONFIRM_AFTER, HOUR
from veille.services.watching.sources import Wish
from watching import Watch
from world import Site

_DAY = 24 * HOUR
#: After so many of them an outage is over.
_OUTAGE = 2
#: How often a day those are looked at again that failed or have to be confirmed.
_LOOKS = 6
_KINDS = (Change.CHANGED, Change.NEW, Change.REMOVED)


@dataclass
class Report:
    """Right, wrong and missed, by what was told."""

    pages: int
    rounds: int
    right: Counter[Change] = field(default_factory=Counter)
    wrong: Counter[Change] = field(default_factory=Counter)
    missed: Counter[Change] = field(default_factory=Counter)
    #: Pages that stayed as they were, once for every round.
    unchanged: int = 0
    requests: int = 0
    seconds: float = 0.0
    mistakes: list[str] = field(default_factory=list)

    def recall(self, change: Change) -> float:
        return self.right[change] / max(self.right[change] + self.missed[change], 1)

    def precision(self, change: Change) -> float:
        return self.right[change] / max(self.right[change] + self.wrong[change], 1)

    @property
    def false_alarms(self) -> float:
        """The share of unchanged pages that were told as something else."""
        return self.wrong.total() / max(self.unchanged, 1)

    def text(self) -> str:
        rows = [
            f"{change.value:8} precision {self.precision(change):.4f}  recall {self.recall(change):.4f}  "
            f"({self.right[change]} right, {self.wrong[change]} wrong, {self.missed[change]} missed)"
            for change in _KINDS
        ]
        return "\n".join(
            [
                f"{self.pages} pages, {self.rounds} rounds, {self.requests} requests, {self.seconds:.0f} s",
                *rows,
                f"false alarms {self.false_alarms:.2%} of {self.unchanged} looks at pages that nobody edited",
                *self.mistakes[:20],
            ]
        )


class _Ticking(Watch):
    """Its clock goes on by itself, so that pauses end."""

    @property
    def now(self) -> int:
        return self._base + round(time.monotonic() * 1000)

    @now.setter
    def now(self, at: int) -> None:
        self._base = at - round(time.monotonic() * 1000)


class Campaign:
    """One site and one program watching it."""

    def __init__(self, folder: Path, size: int, seed: int) -> None:
        self._folder = folder
        self._size = size
        self._seed = seed

    def run(self, rounds: int) -> Report:
        report = Report(pages=self._size, rounds=rounds)
        started = time.monotonic()
        with Site() as site, _Ticking(site, self._folder) as watch:
            web = Web(site, self._size, self._seed, watch.now)
            wish = Wish(url=site.url, kind="site", interval_ms=_DAY, config={"max_pages": self._size * 3})
            watch.app.sources.add(watch.dossier_id, wish)
            self._visit(watch, web)
            for number in range(1, rounds + 1):
                done = web.edit()
                seen = self._visit(watch, web)
                self._count(report, number, done, seen, web)
            report.requests = len(site.seen)
        report.seconds = time.monotonic() - started
        return report

    def _visit(self, watch: Watch, web: Web) -> dict[Change, set[str]]:
        """One day later everything is looked at, and what has to be confirmed once more after a while."""
        with watch.app.dossiers.open(watch.dossier_id) as store:
            last = max((event.seq for event in store.outbox.events(limit=1_000_000)), default=0)
        watch.now = web.now = watch.now + _DAY
        watch.app.queue.arm(watch.dossier_id, watch.now)
        watch.run()
        for number in range(_LOOKS):
            if number == _OUTAGE:
                web.closed, web.down = False, set()
            watch.now = web.now = watch.now + CONFIRM_AFTER + HOUR
            watch.app.run(Scope())
        told: dict[Change, set[str]] = {change: set() for change in _KINDS}
        with watch.app.dossiers.open(watch.dossier_id) as store:
            for event in store.outbox.events(since=last, limit=1_000_000):
                path = event.url.removeprefix(watch.site.url)
                if path.startswith("/articles/"):
                    told[event.change].add(path)
        return told

    @staticmethod
    def _count(report: Report, number: int, done: Round, told: dict[Change, set[str]], web: Web) -> None:
        truth = {Change.CHANGED: done.changed, Change.NEW: done.new, Change.REMOVED: done.removed}
        for change in _KINDS:
            right = truth[change] & told[change]
            wrong, missed = told[change] - right, truth[change] - right
            report.right[change] += len(right)
            report.wrong[change] += len(wrong)
            report.missed[change] += len(missed)
            report.mistakes += [f"round {number}: {change} {path}: wrong" for path in sorted(wrong)]
            report.mistakes += [f"round {number}: {change} {path}: missed" for path in sorted(missed)]
        report.unchanged += len(set(web.articles) - done.changed - done.new)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = Campaign(Path(folder), options.pages, options.seed).run(options.rounds)
    print(report.text())
    return int(report.recall(Change.CHANGED) < 0.99 or report.false_alarms > 0.01)
