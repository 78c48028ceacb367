"""What a soak came to: one object for the table, for JSON, and for the verdict."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from soak.chaos import Chaos
from soak.checks import Account
from soak.figures import Figures, is_right, share
from soak.gauge import MB, Gauge
from soak.machine import Machine

#: Memory may grow by this much an hour after the warm-up. Half an hour of samples of a process that holds a hundred
#: files open tells no less from nothing; a leak of one object a poll would be many times as much.
MOST_MB_PER_HOUR = 100.0
#: What the takeover of a dead worker's work may take beyond its lease.
GRACE_S = 5.0


@dataclass
class Limits:
    """What the run is judged by."""

    interval_s: float
    lease_s: float
    warm_s: float | None


@dataclass
class Report:
    """The figures; times in seconds, sizes in MB."""

    seed: int
    sources: int
    seconds: float
    limits: Limits
    #: Of the machine in the end, with everything else that runs on it.
    load: float = 0.0
    #: Sources that were looked at, of those that are well.
    seen: int = 0
    polls: int = 0
    polls_per_s: float = 0.0
    requests: dict[int, int] = field(default_factory=dict)
    lag_p50: float = 0.0
    lag_p95: float = 0.0
    lag_p99: float = 0.0
    worst_dossier: str = ""
    worst_dossier_lag_p99: float = 0.0
    fetch_p50: float = 0.0
    fetch_p99: float = 0.0
    expected: int = 0
    stored: int = 0
    lost: int = 0
    doubled: int = 0
    crossed: int = 0
    handed_over: int = 0
    repeated: int = 0
    #: What was injected, what it came to, and how often.
    outcomes: list[tuple[str, str, int]] = field(default_factory=list)
    outcomes_right: int = 0
    outcomes_all: int = 0
    serve_mb: float = 0.0
    worker_mb: float = 0.0
    serve_mb_per_h: float = 0.0
    worker_mb_per_h: float = 0.0
    worker_watched_s: float = 0.0
    serve_fds_per_h: float = 0.0
    worker_fds_per_h: float = 0.0
    store_mb: float = 0.0
    max_wal_mb: float = 0.0
    syncs_per_s: float = 0.0
    cpu_s: float = 0.0
    cpu_s_per_1000_polls: float = 0.0
    #: Of the database, if there is one.
    server_cpu_s: float = 0.0
    kills: int = 0
    held_when_killed: int = 0
    recovery_p95: float = 0.0
    recovery_max: float = 0.0
    never_recovered: int = 0
    #: Workers that ended though nobody killed them.
    left: int = 0
    freezes: int = 0
    #: How often the database was restarted or killed.
    strikes: int = 0
    refused_writes: int = 0
    backlog: int = 0
    backlog_drained_s: float | None = None
    drained_s: float = 0.0
    connections: int = 0
    strays: int = 0
    exit_status: int = 0
    breaches: list[str] = field(default_factory=list)

    def text(self) -> str:
        """The figures as a table, then everything that was not as it should be."""
        lines = [f"{self.sources:,} sources in 100 dossiers for {self.seconds:.0f} s (seed {self.seed})"]
        lines += [f"  {name:<36} {value}" for name, value in _rows(self)]
        if others := [one for one in self.outcomes if not is_right(*one[:2])]:
            lines += ["what came to something else than was injected:"]
            lines += [f"  {injected:<18} {outcome:<18} {count:>6}" for injected, outcome, count in others]
        if self.breaches:
            return "\n".join([*lines, f"{len(self.breaches)} BREACHES:", *(f"  {line}" for line in self.breaches)])
        return "\n".join([*lines, "nothing lost, nothing twice, nothing astray"])

    def plain(self) -> dict[str, Any]:
        return asdict(self)


def _rows(report: Report) -> list[tuple[str, str]]:
    return [*_rows_of_work(report), *_rows_of_room(report), *_rows_of_trouble(report)]


def _rows_of_work(r: Report) -> list[tuple[str, str]]:
    whole = 100 * r.stored / r.expected if r.expected else 0.0
    most = 2 * r.limits.interval_s
    return [
        ("load of the machine (5 minutes)", f"{r.load:.1f}"),
        ("sources looked at", f"{r.seen:,} of the {r.sources * 98 // 100:,} that are well"),
        ("polls", f"{r.polls:,}, {r.polls_per_s:.1f} a second"),
        ("answers of the web", ", ".join(f"{count:,} with {status}" for status, count in sorted(r.requests.items()))),
        ("schedule lag p50 / p95 / p99", f"{r.lag_p50:.1f} / {r.lag_p95:.1f} / {r.lag_p99:.1f} s (limit {most:.0f})"),
        ("worst dossier's p99", f"{r.worst_dossier_lag_p99:.1f} s ({r.worst_dossier})"),
        ("fetch p50 / p99", f"{r.fetch_p50 * 1000:.0f} / {r.fetch_p99 * 1000:.0f} ms"),
        ("new or changed, stored of published", f"{r.stored:,} of {r.expected:,} = {whole:.3f} %"),
        ("lost / doubled / cross-tenant", f"{r.lost} / {r.doubled} / {r.crossed}"),
        ("handed over, repeated", f"{r.handed_over:,}, {r.repeated:,} of them more than once (known by their id)"),
        ("outcomes as injected", f"{r.outcomes_right:,} of {r.outcomes_all:,}"),
    ]


def _rows_of_room(r: Report) -> list[tuple[str, str]]:
    return [
        ("most memory: service / worker", f"{r.serve_mb:.0f} / {r.worker_mb:.0f} MB"),
        ("memory slope: service / worker", f"{r.serve_mb_per_h:+.1f} / {r.worker_mb_per_h:+.1f} MB/h"),
        ("open files slope: service / worker", f"{r.serve_fds_per_h:+.1f} / {r.worker_fds_per_h:+.1f} an hour"),
        ("longest life of a worker", f"{r.worker_watched_s:.0f} s"),
        ("store, largest WAL (all dossiers)", f"{r.store_mb:.0f} MB, {r.max_wal_mb:.0f} MB"),
        ("syncs", f"{r.syncs_per_s:.0f} a second"),
        ("CPU per 1,000 polls", f"{r.cpu_s_per_1000_polls:.1f} s ({r.cpu_s:.0f} s in all)"),
        ("CPU of the database", f"{r.server_cpu_s:.0f} s"),
    ]


def _rows_of_trouble(r: Report) -> list[tuple[str, str]]:
    drained = "never" if r.backlog_drained_s is None else f"{r.backlog_drained_s:.1f} s"
    most = r.limits.lease_s + GRACE_S
    return [
        ("kills", f"{r.kills}, with {r.held_when_killed} leases held; {r.left} workers ended by themselves"),
        ("recovery p95 / most", f"{r.recovery_p95:.1f} / {r.recovery_max:.1f} s (limit {most:.0f})"),
        ("freezes; writes refused, disk full", f"{r.freezes}; {r.refused_writes}"),
        ("database restarted or killed", f"{r.strikes} times"),
        ("backlog after the consumer's absence", f"{r.backlog:,} changes, handed over in {drained}"),
        ("time to the last of everything", f"{r.drained_s:.1f} s"),
        ("connections, outside the network", f"{r.connections:,}, {r.strays}"),
    ]


@dataclass(frozen=True)
class Findings:
    """Everything that a report is made of."""

    machine: Machine
    gauge: Gauge
    chaos: Chaos
    account: Account
    figures: Figures
    answers: Counter[int]
    handed_over: int
    repeated: int


def fill(report: Report, found: Findings) -> Report:
    """The report with all that was found, and with every breach."""
    _time(report, found)
    _loss(report, found)
    _room(report, found)
    _disturbances(report, found)
    report.breaches += found.account.lines + _verdict(report)
    return report


def _time(report: Report, found: Findings) -> None:
    figures = found.figures
    report.polls = figures.polls
    report.polls_per_s = figures.polls / report.seconds
    report.requests = dict(found.answers)
    lags = figures.all_lags
    report.lag_p50, report.lag_p95, report.lag_p99 = (share(lags, part) / 1000 for part in (0.5, 0.95, 0.99))
    report.worst_dossier, worst = figures.worst()
    report.worst_dossier_lag_p99 = worst / 1000
    report.fetch_p50, report.fetch_p99 = (share(figures.fetches, part) / 1000 for part in (0.5, 0.99))
    report.outcomes = [(*pair, count) for pair, count in sorted(figures.outcomes.items())]
    report.outcomes_right = sum(count for pair, count in figures.outcomes.items() if is_right(*pair))
    report.outcomes_all = figures.outcomes.total()


def _loss(report: Report, found: Findings) -> None:
    account = found.account
    report.expected, report.stored = account.expected, account.stored
    report.lost, report.doubled, report.crossed = account.lost, account.doubled, account.crossed
    report.handed_over, report.repeated = found.handed_over, found.repeated


def _room(report: Report, found: Findings) -> None:
    gauge, since = found.gauge, report.limits.warm_s or 0.0
    worker = gauge.longest_worker()
    report.serve_mb, report.worker_mb = gauge.max_mb(of_serve=True), gauge.max_mb(of_serve=False)
    report.serve_mb_per_h, report.serve_fds_per_h = gauge.serve().slopes(since)
    report.worker_mb_per_h, report.worker_fds_per_h = worker.slopes(since)
    report.worker_watched_s = worker.length
    report.store_mb, report.max_wal_mb = gauge.store / MB, gauge.max_wal / MB
    report.syncs_per_s = found.machine.count("syncs") / report.seconds
    report.cpu_s_per_1000_polls = 1000 * report.cpu_s / max(1, report.polls)


def _disturbances(report: Report, found: Findings) -> None:
    chaos = found.chaos
    after = [took / 1000 for death in chaos.deaths for took in death.after]
    report.kills, report.freezes, report.strikes = len(chaos.deaths), chaos.freezes, chaos.strikes
    report.held_when_killed = sum(len(death.held) for death in chaos.deaths)
    report.recovery_p95, report.recovery_max = share(after, 0.95), max(after, default=0.0)
    report.never_recovered = sum(len(death.waiting) for death in chaos.deaths)
    report.refused_writes = found.machine.count("refused")
    report.backlog, report.backlog_drained_s = chaos.backlog, chaos.drained_s
    report.connections, report.strays = found.machine.count("connections"), found.machine.count("strays")
    if report.strays:
        report.breaches.append(f"connected to {found.machine.stray}, outside the allowed network")


def _verdict(report: Report) -> list[str]:
    r, limits = report, report.limits
    # The short form is over before memory has settled, and ill fortune comes in it by the second.
    is_long = limits.warm_s is not None
    grows = is_long and max(r.serve_mb_per_h, r.worker_mb_per_h) > MOST_MB_PER_HOUR
    checks = {
        f"lag p99 is {r.lag_p99:.1f} s": r.lag_p99 > 2 * limits.interval_s,
        f"recovery p95 is {r.recovery_p95:.1f} s": is_long and r.recovery_p95 > limits.lease_s + GRACE_S,
        f"{r.never_recovered} leases of dead workers were never taken over": r.never_recovered > 0,
        f"{r.left} workers ended by themselves": r.left > 0,
        f"memory grows by {max(r.serve_mb_per_h, r.worker_mb_per_h):.0f} MB/h": grows,
        "the backlog after the consumer's absence was never handed over": r.backlog_drained_s is None,
        f"the service ended with status {r.exit_status}": r.exit_status != 0,
    }
    return [text for text, is_so in checks.items() if is_so]
