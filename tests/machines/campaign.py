"""Two machines whose clocks differ ask the same hosts: is a host ever asked by both within its delay?

Each machine is a network namespace with a data folder and a clock of its own; what they share is the database. What
counts is what the kernel of the hosts' machine saw.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from ipaddress import IPv4Network
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import veille
from machines.hosts import PORT
from machines.lan import NETWORK, Lan
from postgres_server import PostgresServer
from soak.machine import Machine
from veille.bootstrap.checks import check_start
from veille.errors import StoreError
from veille.services.watching.sources import Wish

#: By how much the clock of the second machine is ahead.
APART_S = 30
LEASE_S = 8.0
#: A process that decided to send may be held up before it does, and the next one not: so much of the delay has to be
#: between two requests on a machine that does other things beside, and on one that does not. Two machines that do not
#: know of each other come as close as they like.
BUSY, WHOLE = 0.5, 0.95


class Asked(NamedTuple):
    """A request, as the hosts saw it."""

    at_s: float
    machine: str
    host: str


@dataclass(frozen=True)
class Seen:
    """All requests of a campaign, and the pairs that were too close."""

    asked: int
    hosts: int
    #: How often a host was asked by one machine after the other, and the shortest time between two such.
    handed_on: int
    shortest_s: float
    by_machine: dict[str, int]
    close: list[tuple[Asked, Asked]]

    def text(self) -> str:
        shares = ", ".join(f"{count} by {name}" for name, count in sorted(self.by_machine.items()))
        return (
            f"{self.asked} requests to {self.hosts} hosts ({shares}); hosts went from one machine to the other "
            f"{self.handed_on} times, and were asked by both within {self.shortest_s:.2f} s at the shortest; "
            f"too close: {len(self.close)} {self.close[:3]}"
        )


def judged(requests: Iterable[Asked], least_s: float) -> Seen:
    """Which requests to a host, whoever sent them, came too soon after the one before."""
    hosts: dict[str, list[Asked]] = defaultdict(list)
    shares: dict[str, int] = defaultdict(int)
    for one in sorted(requests):
        hosts[one.host].append(one)
        shares[one.machine] += 1
    pairs = [pair for asked in hosts.values() for pair in pairwise(asked)]
    mixed = [after.at_s - before.at_s for before, after in pairs if before.machine != after.machine]
    return Seen(
        asked=sum(shares.values()),
        hosts=len(hosts),
        handed_on=len(mixed),
        shortest_s=min(mixed, default=float("inf")),
        by_machine=dict(shares),
        close=[(before, after) for before, after in pairs if after.at_s - before.at_s < least_s],
    )


@dataclass
class Campaign:
    """Workers on both machines, while all sources are made due again and again; one is frozen past its lease."""

    folder: Path
    hosts: int = 20
    delay_ms: int = 1000
    #: The part of it that has to be between two requests.
    share: float = BUSY
    #: How many requests the hosts have to see, and how often hosts have to go from one machine to the other.
    requests: int = 100
    handed_on: int = 10
    freezes: int = 0
    limit_s: float = 100

    def run(self) -> Seen:
        log = self.folder / "asked"
        log.touch()
        with ExitStack() as opened:
            self._server = opened.enter_context(PostgresServer())
            self._store = self._server.url(self._server.database(self._server.ready))
            lan = opened.enter_context(Lan(self.hosts))
            app = opened.enter_context(
                veille.open_app(
                    data=self.folder / "one", store=self._store, lease_s=LEASE_S, fetch={"allow_networks": [NETWORK]}
                )
            )
            # The key of the secrets is the same.
            check_start(app.settings, app.store)
            (self.folder / "two").mkdir(mode=0o700)
            key = self.folder / "two" / "secrets.key"
            key.write_bytes((self.folder / "one" / "secrets.key").read_bytes())
            key.chmod(0o600)
            dossier_id = self._watch(app, lan)
            here = Path(__file__).parent
            web = subprocess.Popen(
                [*lan.inside("hub"), sys.executable, here / "hosts.py", log, str(self.hosts)],
                stdout=subprocess.PIPE,
                text=True,
            )
            opened.callback(_ended, web)
            assert web.stdout
            assert web.stdout.readline() == "ready\n"
            workers = [self._begin(opened, lan, name, ahead) for name, ahead in {"one": 0, "two": APART_S}.items()]
            return self._judged(app, dossier_id, workers, log, lan)

    def _watch(self, app: veille.App, lan: Lan) -> str:
        dossier = app.create_dossier("hosts")
        for host in lan.hosts:
            for path in ("/", "/go"):
                app.sources.add(dossier.id, Wish(url=f"http://{host}:{PORT}{path}", kind="page", interval_ms=3_600_000))
        return dossier.id

    def _begin(self, opened: ExitStack, lan: Lan, name: str, ahead_s: int) -> subprocess.Popen[str]:
        folder = self.folder / f"machine-{name}"
        folder.mkdir()
        machine = Machine(folder, IPv4Network(NETWORK))
        machine.set_ahead(ahead_s)
        environment = {
            **os.environ,
            **machine.environment,
            "VEILLE_STORE": self._store,
            "VEILLE_DATA": str(self.folder / name),
            "VEILLE_LEASE_S": str(LEASE_S),
            # A worker on a busy machine may make no progress for long.
            "VEILLE_SERVE__STALLED_S": "600",
            "VEILLE_FETCH__HOST_DELAY_MS": str(self.delay_ms),
            "VEILLE_FETCH__ALLOW_NETWORKS": f'["{NETWORK}"]',
        }
        clock = [sys.executable, "-c", "import time; print(time.time())"]
        told = subprocess.run(clock, env=environment, capture_output=True, text=True, check=True).stdout
        assert abs(float(told) - time.time() - ahead_s) < APART_S / 2, "its clock is not as it should be"
        with (folder / "said").open("w") as said:
            worker = subprocess.Popen(
                [*lan.inside(name), sys.executable, "-m", "veille", "work"], env=environment, stderr=said, text=True
            )
        opened.callback(_ended, worker)
        return worker

    def _judged(
        self, app: veille.App, dossier_id: str, workers: list[subprocess.Popen[str]], log: Path, lan: Lan
    ) -> Seen:
        deadline, frozen = time.monotonic() + self.limit_s, 0
        while True:
            _arm(app, dossier_id)
            time.sleep(0.5)
            assert [one.poll() for one in workers] == [None, None], [
                (self.folder / f"machine-{name}" / "said").read_text()[-2000:] for name in ("one", "two")
            ]
            seen = judged(_read(log, lan), self.share * self.delay_ms / 1000)
            enough = seen.asked >= self.requests and seen.handed_on >= self.handed_on and len(seen.by_machine) > 1
            if (enough and frozen >= self.freezes) or seen.close or time.monotonic() > deadline:
                break
            if frozen < self.freezes and seen.asked >= self.requests * frozen / self.freezes:
                _freeze(workers[frozen % 2], LEASE_S * 1.5, lambda: _arm(app, dossier_id))
                frozen += 1
        return seen


def _arm(app: veille.App, dossier_id: str) -> None:
    """Make all due; but who is frozen may be in the middle of a commit, which others wait for."""
    try:
        app.queue.arm(dossier_id, app.clock())
    except StoreError as error:
        if not error.is_busy:
            raise


def _freeze(worker: subprocess.Popen[str], seconds: float, meanwhile: Callable[[], object]) -> None:
    worker.send_signal(signal.SIGSTOP)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        meanwhile()
        time.sleep(0.5)
    worker.send_signal(signal.SIGCONT)


def _ended(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGCONT)
    process.terminate()
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout:
        process.stdout.close()


def _read(log: Path, lan: Lan) -> list[Asked]:
    lines = (line.split() for line in log.read_text().splitlines(keepends=True) if line.endswith("\n"))
    return [Asked(int(at) / 1e9, lan.machines[who], host) for at, who, host in lines]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--freezes", type=int, default=6)
    parser.add_argument("--share", type=float, default=WHOLE, help="of the delay; less on a machine that is busy")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="veille-machines-") as folder:
        campaign = Campaign(
            Path(folder),
            requests=given.requests,
            handed_on=200,
            freezes=given.freezes,
            delay_ms=2000,
            share=given.share,
            limit_s=1800,
        )
        seen = campaign.run()
    print(seen.text())
    is_good = not seen.close and seen.asked >= given.requests and seen.handed_on >= campaign.handed_on
    return 0 if is_good else 1
