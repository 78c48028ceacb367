"""Sends each fault through the real door and measures what it took."""

from __future__ import annotations

import time
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from pathlib import Path
from types import TracebackType
from typing import Self

from faults.dns import ScriptedDns
from faults.expected import Case
from faults.server import Faults
from veille.adapters.fetch import Door
from veille.core.traffic import Failure, Order, Payload, Validators
from veille.settings import FetchSettings

TIMEOUT_S = 1.5
MAX_BYTES = 2 * 1024 * 1024
SLACK_S = 2.0
MAX_MEMORY_MB = 32


@dataclass(frozen=True)
class Seen:
    """How one fault ended."""

    answer: Payload | Failure
    seconds: float
    megabytes: float

    @property
    def code(self) -> str:
        return self.answer.code if isinstance(self.answer, Failure) else "ok"


class Probe:
    """The fault server and doors to it; every case gets a host of its own, so that no breaker opens.

    Only faults that hang need the short time limit; the others may have more time, on a busy machine.
    """

    def __init__(self, patience_s: float = TIMEOUT_S) -> None:
        self.faults = Faults()
        self._patience_s = patience_s
        self._count = 0

    def __enter__(self) -> Self:
        self.faults.__enter__()
        private, public = ip_address("10.9.8.7"), ip_address("93.184.215.14")
        dns = ScriptedDns({"mixed.test": [[public, private]], "private.test": [[private]]}, frozenset({"slow.test"}))
        settings = FetchSettings(
            timeout_s=self._patience_s,
            max_bytes=MAX_BYTES,
            host_delay_ms=0,
            retries=0,
            min_rate_grace_s=1,
            allow_networks=(ip_network("127.0.0.0/8"),),
            ca_file=self.faults.authority,
        )
        brief = settings.model_copy(update={"timeout_s": TIMEOUT_S})
        self._doors = {
            hangs: Door(one, lambda: time.time_ns() // 1_000_000, resolve=dns)
            for hangs, one in ((False, settings), (True, brief))
        }
        self.run(Case("gz-ok", "ok", "warm up"))
        self.run(Case("gz-ok", "timeout", "warm up"))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for door in self._doors.values():
            door.close()
        self.faults.__exit__(kind, error, trace)

    def limit_s(self, case: Case) -> float:
        """How long the case may take."""
        return TIMEOUT_S if case.hangs else self._patience_s

    def run(self, case: Case, validators: Validators | None = None) -> Seen:
        self._count += 1
        host = case.host or (
            "127.0.0.1" if case.port != "http" else f"127.1.{self._count // 250}.{self._count % 250 + 1}"
        )
        order = Order(
            key=case.id, url=self.faults.url(case.fault, host, case.port), validators=validators or Validators()
        )
        door = self._doors[case.hangs]
        before = _reset_peak()
        started = time.monotonic()
        door.submit(order)
        answers: list[tuple[str, Payload | Failure]] = []
        while not answers:
            answers = door.collect(1)
        return Seen(answers[0][1], time.monotonic() - started, _peak_mb() - before)


def _reset_peak() -> float:
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return _peak_mb()


def _peak_mb() -> float:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return 0.0
