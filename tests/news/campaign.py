"""Papers full of articles, from feeds to the workbook: undisturbed and killed, as a file and in Google Sheets.

All four come to the same rows. Told are articles per CPU second, and calls to Google per 1,000 articles.
"""

from __future__ import annotations

import argparse
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from presses import Desk, print_paper
from sheets_server import SheetsServer
from world import Site

TICK_S = 0.01
#: What Google lets one user write and read in a minute.
QUOTA = 60

Told = dict[str, tuple[object, ...]]


@dataclass
class Turn:
    """One way from the feeds to the workbook."""

    name: str
    articles: int = 0
    work_s: float = 0.0
    work_cpu_s: float = 0.0
    cpu_s: float = 0.0
    kills: int = 0
    calls: int = 0
    refused: int = 0
    shares: list[int] = field(default_factory=list)

    def text(self) -> str:
        pace = self.articles / max(self.work_cpu_s, 0.01)
        line = (
            f"{self.name}: {self.articles} rows; work {self.work_s:.1f} s, {self.work_cpu_s:.1f} s of CPU, "
            f"{pace:.0f} articles per CPU second; everything {self.cpu_s:.1f} s of CPU"
        )
        if self.calls and self.articles:
            line += f"; {1000 * self.calls / self.articles:.1f} calls per 1,000 articles, {self.refused} over quota"
        if self.kills:
            line += f"; killed {self.kills} times, workers that ended had {'+'.join(map(str, self.shares))} articles"
        return line


@dataclass
class Report:
    """What was done, and what should not have been."""

    turns: list[Turn] = field(default_factory=list)
    breaches: list[str] = field(default_factory=list)

    def text(self) -> str:
        verdict = f"{len(self.breaches)} BREACHES" if self.breaches else "every article once, all workbooks equal"
        return "\n".join([*(turn.text() for turn in self.turns), verdict, *self.breaches])


class Campaign:
    """The same papers, read again and again from scratch."""

    def __init__(self, folder: Path, articles: int, papers: int = 10, length: int = 3000) -> None:
        self._folder = folder
        self._articles = articles
        self._papers = papers
        self._length = length
        self._sites: list[Site] = []
        self._feeds: list[str] = []

    def run(self, kills: int, workers: int = 3) -> Report:
        """Once undisturbed and once killed, into each kind of workbook."""
        report = Report()
        with ExitStack() as stack:
            each = self._articles // self._papers
            for number in range(self._papers):
                site = stack.enter_context(Site())
                self._sites.append(site)
                self._feeds.append(print_paper(site, f"paper{number}", each, length=self._length, odd=True))
            google = stack.enter_context(SheetsServer(quota=QUOTA))
            found = {}
            for name, server in (("file", None), ("sheets", google)):
                for times in (0, kills):
                    turn = Turn(name=f"{name}, killed" if times else name)
                    desk = Desk(
                        self._folder / turn.name.replace(", ", "-"), server, MAX_ITEMS_PER_FEED_PER_POLL="10000"
                    )
                    self._turn(desk, turn, times, workers if times else 1)
                    report.turns.append(turn)
                    found[turn.name] = told(desk)
                    report.breaches += self._breaches(desk, turn, times)
        first = found["file"]
        for name, other in found.items():
            odd = [key for key in first.keys() | other.keys() if first.get(key) != other.get(key)]
            report.breaches += [f"{name}: {first.get(key)} became {other.get(key)}" for key in odd[:5]]
        return report

    def _turn(self, desk: Desk, turn: Turn, kills: int, workers: int) -> None:
        began = _cpu_s()
        before = (desk.google.calls["all"], desk.google.refused) if desk.google else (0, 0)
        desk.discover(*self._feeds)
        if kills:
            served = self._served() + len(self._sites) // 2
            turn.kills += _killed(desk.start("poll"), lambda: self._served() >= served)
        desk.process("poll")
        started, work_began = time.monotonic(), _cpu_s()
        self._work(desk, turn, kills, workers)
        turn.work_s, turn.work_cpu_s = time.monotonic() - started, _cpu_s() - work_began
        turn.cpu_s, turn.articles = _cpu_s() - began, len(desk.rows())
        if desk.google:
            turn.calls, turn.refused = desk.google.calls["all"] - before[0], desk.google.refused - before[1]

    def _work(self, desk: Desk, turn: Turn, kills: int, workers: int) -> None:
        running = [self._worker(desk, number) for number in range(workers)]
        begun = self._served()
        for number in range(1, kills):
            share = begun + self._articles * number // kills
            turn.kills += _killed(running.pop(0), lambda share=share: self._served() >= share)  # type: ignore[misc]
            running.append(self._worker(desk, workers + number))
        for worker in running:
            worker.communicate()
        turn.shares = [int(row["new_articles"]) for row in desk.rows("Diagnostics") if row["command"] == "work"]

    def _worker(self, desk: Desk, number: int) -> subprocess.Popen[str]:
        return desk.start("work", "--worker-id", f"w{number}", "--drain")

    def _served(self) -> int:
        return sum(len(site.seen) for site in self._sites)

    def _breaches(self, desk: Desk, turn: Turn, kills: int) -> list[str]:
        rows = desk.rows()
        expected = self._articles // self._papers * self._papers
        found = []
        if [row["row_id"] for row in rows] != list(range(1, expected + 1)):
            found.append(f"{turn.name}: the rows are not 1 to {expected} in order")
        if len(desk.rows("ArticlesIndex")) != expected:
            found.append(f"{turn.name}: the index does not have every row once")
        if {row["status"] for row in rows} - {"stored", "duplicate", "error"}:
            found.append(f"{turn.name}: something is left to do")
        if turn.kills != kills:
            found.append(f"{turn.name}: killed {turn.kills} times, not {kills}")
        return found


def told(desk: Desk) -> Told:
    """What does not depend on when it was done, and by whom: every text with its addresses and what it says."""
    texts: dict[str, list[dict[str, Any]]] = defaultdict(list)
    index = {row["row_id_raw"]: row for row in desk.rows("ArticlesIndex")}
    for row in desk.rows():
        texts[str(row["text_hash"] or row["article_url"])].append(row | {"index": index[row["row_id"]]})
    said = "source title subtitle authors section tags language article_type clean_text clean_text_len full_text_len"
    found: Told = {}
    for key, rows in texts.items():
        # Which of two copies was first is a matter of who was faster.
        (main,) = [row for row in rows if row["status"] != "duplicate"]
        addresses = sorted({main["article_url_canon"], *(row["article_url_canon"] for row in rows)})
        statuses = sorted((row["status"], row["retries"], row["error_msg"], row["index"]["reason"]) for row in rows)
        known_as = sorted({main["article_url_canon"], *main["aliases"].strip("[]").replace('"', "").split(", ")} - {""})
        found[key] = (addresses, statuses, known_as, main["index"]["rev_n"], *(main[name] for name in said.split()))
    return found


def _killed(process: subprocess.Popen[str], is_time: Callable[[], bool]) -> int:
    """Kill the process as soon as it is time; 0 when it had ended by itself."""
    while process.poll() is None and not is_time():
        time.sleep(TICK_S)
    process.kill()
    process.communicate()
    return int(process.returncode == -signal.SIGKILL)


def _cpu_s() -> float:
    """Of the commands that have ended; who serves the papers is not among them."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--articles", type=int, default=5000)
    parser.add_argument("--kills", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = Campaign(Path(folder), given.articles).run(given.kills)
    sys.stdout.write(report.text() + "\n")
    return 1 if report.breaches else 0
