"""The campaign: inputs of every generator by turns until the time is over, every failure made small and kept.

No input may take more than its deadline and a second, hold up the process of the service, or end a worker.
"""

from __future__ import annotations

import hashlib
import math
import multiprocessing
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import hypothesis

from hostile import bench
from hostile.bench import Measure
from hostile.gauges import end_family
from hostile.inputs import INPUTS
from hostile.pieces import Input, smaller

CASES = Path(__file__).parent / "cases"
DEADLINE_S = 2.0
#: A step that says nothing for so long is stuck: the process is killed, and that is a failure.
STUCK_S = 45.0
_START_S = 120.0
#: Inputs of one generator before the next has its turn, the first time and later; how long a failure is made smaller.
_FIRST, _BATCH = 3, 12
_SHRINK_S = 90.0
_MOST_ALIKE = 2


@dataclass
class Tally:
    """What came of the inputs of one generator."""

    inputs: int = 0
    bytes: int = 0
    #: The measure that came nearest to its limit, as a share of it.
    worst: Measure | None = None
    failures: int = 0

    def add(self, one: Input, measures: list[Measure]) -> None:
        self.inputs += 1
        self.bytes += one.size
        for measure in measures:
            if self.worst is None or measure.took_s / measure.most_s > self.worst.took_s / self.worst.most_s:
                self.worst = measure


@dataclass
class Report:
    """What was tried and what failed."""

    seed: int
    seconds: float = 0.0
    tallies: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    #: Processes that read and were replaced, and benches that were.
    children: int = 0
    restarts: int = 0
    failures: list[tuple[str, Path]] = field(default_factory=list)

    def text(self) -> str:
        lines = [
            f"seed {self.seed}, {self.seconds:.0f} s",
            f"{'kind':12} {'inputs':>7} {'MB':>8}  nearest to its limit",
        ]
        for kind, tally in sorted(self.tallies.items()):
            worst = tally.worst
            near = f"{worst.step}: {worst.took_s:.2f} s of {worst.most_s:.2f}" if worst else ""
            lines.append(f"{kind:12} {tally.inputs:7} {tally.bytes / 2**20:8.1f}  {near}")
        lines.append(f"child processes replaced: {self.children}; processes that had to be killed: {self.restarts}")
        lines += [f"FAILED {problem}\n  kept as {path}" for problem, path in self.failures]
        return "\n".join([*lines, f"{sum(tally.failures for tally in self.tallies.values())} failures"])


class Rig:
    """A bench in its own process, which is replaced when it is stuck."""

    def __init__(self, folder: Path, deadline_s: float) -> None:
        self._folder = folder
        self._deadline_s = deadline_s
        self._starts = 0
        self._process: multiprocessing.process.BaseProcess | None = None
        self.children: set[int] = set()

    @property
    def restarts(self) -> int:
        return max(0, self._starts - 1)

    def ask(self, one: Input) -> tuple[list[Measure], str]:
        """What every step took, and what was wrong, if anything."""
        if self._process is None:
            self._start()
        self._pipe.send(one)
        step = "start"
        while True:
            word, value = self._heard()
            if word == "done":
                measures, pids = value
                self.children |= set(pids)
                return measures, next((measure.breach for measure in measures if measure.breach), "")
            if word != "step":
                self.close()
                return [], f"{step}: the process was {word}"
            step = str(value)

    def close(self) -> None:
        if self._process is not None and self._process.pid is not None:
            end_family(self._process.pid)
            self._process.join()
            self._pipe.close()
        self._process = None

    def _heard(self) -> tuple[str, Any]:
        try:
            found: tuple[str, Any] = self._pipe.recv() if self._pipe.poll(STUCK_S) else ("stuck", None)
        except (EOFError, OSError):
            return "gone", None
        return found

    def _start(self) -> None:
        self._starts += 1
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        folder = self._folder / str(self._starts)
        folder.mkdir()
        self._process = context.Process(target=bench.main, args=(theirs, str(folder), self._deadline_s), daemon=False)
        self._process.start()
        theirs.close()
        assert self._pipe.poll(_START_S), "the bench did not start"
        while self._pipe.recv()[0] != "ready":
            pass


class Fuzz:
    """One campaign."""

    def __init__(self, folder: Path, seed: int, cases: Path = CASES) -> None:
        self._rig = Rig(folder, DEADLINE_S)
        self._cases = cases
        #: How often each step failed, by generator.
        self._seen: Counter[tuple[str, str]] = Counter()
        self.report = Report(seed)

    def run(self, seconds: float, kinds: list[str]) -> Report:
        """Every generator by turns, until the time is over; each has a first, short turn in any case."""
        began = time.monotonic()
        end = began + seconds
        try:
            for kind in kinds:
                self._batch(kind, 0, _FIRST, math.inf)
            for turn in count(1):
                for kind in kinds:
                    self._batch(kind, turn, _BATCH, end)
                if time.monotonic() > end:
                    break
        finally:
            self._rig.close()
        self.report.seconds = time.monotonic() - began
        self.report.children = max(0, len(self._rig.children) - self._rig.restarts - 1)
        self.report.restarts = self._rig.restarts
        return self.report

    def replay(self, one: Input) -> str:
        """What is wrong with an input that was kept."""
        return self._rig.ask(one)[1]

    def close(self) -> None:
        self._rig.close()

    def _batch(self, kind: str, turn: int, size: int, end: float) -> None:
        tally = self.report.tallies[kind]
        found: list[tuple[Input, str]] = []

        def check(one: Input) -> None:
            if found or time.monotonic() > end:
                return
            measures, problem = self._rig.ask(one)
            tally.add(one, measures)
            if problem:
                found.append((one, problem))

        if time.monotonic() < end:
            _on_inputs(kind, size, f"{self.report.seed}:{turn}:{kind}", check)
        for one, problem in found:
            tally.failures += 1
            step = problem.partition(" took ")[0]
            self._seen[kind, step] += 1
            # The same again says nothing new.
            if self._seen[kind, step] <= _MOST_ALIKE:
                self._keep(*self._shrunk(one, problem))

    def _shrunk(self, one: Input, problem: str) -> tuple[Input, str]:
        """The smallest input that is still wrong in any way, as far as there is time to look for it."""
        end = time.monotonic() + _SHRINK_S
        tried = smaller(one)
        while (less := next(tried, None)) is not None and time.monotonic() < end:
            still = self._rig.ask(less)[1]
            if still:
                one, problem, tried = less, still, smaller(less)
        return one, problem

    def _keep(self, one: Input, problem: str) -> None:
        self._cases.mkdir(exist_ok=True)
        path = self._cases / f"{one.kind}-{hashlib.sha256(one.written().encode()).hexdigest()[:8]}.json"
        path.write_text(one.written())
        self.report.failures.append((f"{one.kind}: {problem}", path))
        print(f"FAILED {one.kind}: {problem}\n{one.written()[:2000]}", file=sys.stderr, flush=True)


def _on_inputs(kind: str, size: int, seed: str, check: Callable[[Input], None]) -> None:
    """Run a check on inputs of one generator."""
    settings = hypothesis.settings(
        max_examples=size,
        deadline=None,
        database=None,
        phases=(hypothesis.Phase.generate,),
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    number = int(hashlib.sha256(seed.encode()).hexdigest()[:12], 16)
    hypothesis.seed(number)(settings(hypothesis.given(INPUTS[kind])(check)))()
