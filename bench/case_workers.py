"""What several workers on PostgreSQL cost each other: new documents of one dossier, and of a dossier for each.

`case_workers.py [PAGES] [WORKERS …]` starts a server of its own. Told are the CPU of a document, in the workers and in
the server, and how much of the time of the workers' connections was a wait for a lock of another: of the dossier, of
the catalog or of a row. These hold on a busy machine; documents a second do not, and are told with the load. Ends with
status 1 if one dossier takes fewer than are asked for, by CPU.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "tests")]

import case_checks  # noqa: E402 - it is beside this file
import measure  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

    from postgres_server import PostgresServer

PAGES = 600
WORKERS = (1, 2, 4, 8)
#: New documents a second that one dossier takes at least: its writers come one after the other, by what they compute.
ASKED = 300
EVERY_S = 0.1
#: Who waits for whom: the locks of dossiers and of the catalog are advisory ones.
_WAITS = (
    "SELECT coalesce(wait_event_type || ' ' || wait_event, 'running') FROM pg_stat_activity "
    "WHERE application_name = 'veille' AND state = 'active'"
)


def main(pages: int = PAGES, workers: tuple[int, ...] = WORKERS) -> dict[str, Any]:
    from postgres_server import PostgresServer

    case_checks.PAGES, case_checks.HOSTS = pages, pages
    found = {}
    with PostgresServer(synchronous_commit="on", autovacuum="on", autovacuum_naptime="5s") as server:
        for several in (False, True):
            for number in workers:
                name = f"{number} workers, {'a dossier for each' if several else 'one dossier'}"
                found[name] = told = _measured(server, number, number if several else 1)
                locked = ", ".join(f"{share:.1%} {what}" for what, share in told["waits"].items())
                print(
                    f"{name:>32}: {told['client_ms']:.2f} ms of CPU a document in the workers, "
                    f"{told['server_ms']:.2f} in the server; {told['per_s']:.0f} a second at a load of "
                    f"{os.getloadavg()[0]:.0f}; connections at work: {locked}",
                    flush=True,
                )
    over = []
    if alone := found.get("1 workers, one dossier"):
        by_cpu = 1000 / (alone["client_ms"] + alone["server_ms"])
        print(f"{'one dossier, by CPU':>32}: {by_cpu:.0f} a second, {'ok' if by_cpu >= ASKED else 'TOO FEW'}")
        if by_cpu < ASKED:
            over.append(f"one dossier takes {by_cpu:.0f} new documents a second by CPU, {ASKED} are asked for")
    return {**found, "over": over}


def _measured(server: PostgresServer, workers: int, dossiers: int) -> dict[str, Any]:
    url = server.url(server.database(server.ready))
    os.environ["VEILLE_STORE"] = url
    with tempfile.TemporaryDirectory(prefix="veille-workers-") as folder:
        _fill(Path(folder), dossiers)
        command = [sys.executable, __file__, "--work", folder, str(case_checks.PAGES)]
        processes = [
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(workers)
        ]
        for process in processes:
            assert process.stdout is not None
            process.stdout.readline()
        served, begun = server.cpu_s(), time.monotonic()
        with _watched(url) as waits:
            spent = _spent(processes)
        served, seconds = server.cpu_s() - served, time.monotonic() - begun
    with psycopg.connect(url) as connection:
        (written,) = connection.execute("SELECT count(*) FROM veille_tables.documents").fetchone() or (0,)
    if written != case_checks.PAGES:
        raise RuntimeError(f"{written} documents, not {case_checks.PAGES}")
    total = max(1, waits.total())
    return {
        "client_ms": spent / written * 1000,
        "server_ms": served / written * 1000,
        "per_s": written / seconds,
        "waits": {what: count / total for what, count in waits.most_common(5)},
    }


def _fill(folder: Path, dossiers: int) -> None:
    import veille
    from veille.core.kinds import kind_of
    from veille.core.models import Source

    kind = kind_of("page", {})
    with veille.open_app(data=folder, clock=lambda: case_checks.NOW) as app:
        pages = case_checks.urls()
        for number in range(dossiers):
            dossier = app.create_dossier(f"checks {number}")
            with app.dossiers.open(dossier.id) as store, store.writing():
                for place, url in enumerate(pages[number::dossiers]):
                    source = Source(id=f"{place:06}", name=url, kind="page", url=url, created_at=case_checks.NOW)
                    store.sources.add(source, kind.start(source))
            app.queue.arm(dossier.id, case_checks.NOW)
    with psycopg.connect(os.environ["VEILLE_STORE"], autocommit=True) as connection:
        # What autovacuum does within a minute; without it nothing is planned well.
        connection.execute("ANALYZE")


def _spent(processes: list[subprocess.Popen[str]]) -> float:
    """Let all begin at once; the seconds of CPU that they took."""
    for process in processes:
        assert process.stdin is not None
        process.stdin.close()
    total = 0.0
    for process in processes:
        assert process.stdout is not None
        total += float(process.stdout.read() or "nan")
        if process.wait():
            raise RuntimeError("A worker failed.")
    return total


def _work(folder: Path, pages: int) -> None:
    """One worker, until nothing is due. Tells that it is ready, and what it took but for the reading of pages."""
    import veille
    from veille.core.models import Scope

    case_checks.PAGES = case_checks.HOSTS = pages
    with veille.open_app(data=folder, clock=lambda: case_checks.NOW) as app:
        # Not all of it at once: others are to have some.
        worker, workshop = case_checks.worker_of(app, "1", room=48)
        for url in case_checks.urls():
            case_checks.page(url, "1")
        print("ready", flush=True)
        sys.stdin.read()
        begun = time.process_time()
        worker.drain(Scope(), wait=True)
        print(time.process_time() - begun - workshop.cpu_s)


@contextmanager
def _watched(url: str) -> Iterator[Counter[str]]:
    found: Counter[str] = Counter()
    ended = threading.Event()

    def watch() -> None:
        with psycopg.connect(url, autocommit=True, application_name="watch") as connection:
            while not ended.wait(EVERY_S):
                found.update(what for (what,) in connection.execute(_WAITS))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield found
    finally:
        ended.set()
        thread.join()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        _work(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        given = [int(one) for one in sys.argv[1:]]
        told = main(given[0] if given else PAGES, tuple(given[1:]) or WORKERS)
        print(json.dumps(told))
        sys.exit(measure.status_of([told]))
