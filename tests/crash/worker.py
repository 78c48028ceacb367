"""One worker process of the crash test: `worker.py '{"data": ..., "mode": ...}'`. It imports as little as it can.

Modes: `loop` works and delivers until it is killed, `once` works and delivers what it finds, `drain` also waits for
what others hold, `create` makes dossiers until it is killed.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import TYPE_CHECKING, Any

import veille
from veille.core.models import Scope
from veille.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable

    from veille.core.models import Plan
    from veille.services.watching.watch import Worker

IDLE_S = 0.02


def main(options: dict[str, Any]) -> None:
    fetch = {
        "host_delay_ms": options["host_delay_ms"],
        "concurrency": options["concurrency"],
        "timeout_s": 20,
        "allow_networks": ["127.0.0.0/8"],
    }
    with veille.open_app(
        data=options["data"],
        store=options["store"],
        buffer_dir=options["buffer"],
        lease_s=options["lease_s"],
        deliver_batch=20,
        fetch=fetch,
    ) as app:
        worker = app.worker()
        told = Log(options["log"], worker)
        _MODES[options["mode"]](app, worker, told)


class Log:
    """What this process knows to be committed, written down at once: the killer reads it later."""

    def __init__(self, path: str, worker: Worker) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self.write({"worker": worker.name, "run": worker._run_id})

    def write(self, line: dict[str, Any]) -> None:
        os.write(self._file, json.dumps(line).encode() + b"\n")

    def committed(self, plan: Plan) -> None:
        for item in plan.items:
            if item.document is not None and item.change in {"new", "changed"}:
                self.write(
                    {
                        "dossier": plan.lease.dossier_id,
                        "document": item.document_id,
                        "n": item.rev_n,
                        "hash": item.document.content_hash,
                    }
                )


def loop(app: veille.App, worker: Worker, log: Log) -> None:
    while True:
        try:
            ids = [dossier.id for dossier in app.dossiers.all()]
            worker.drain(Scope(dossiers=frozenset(ids)), log.committed)
            app.deliver(ids)
        except StoreError as error:
            # As the loop of the engine does: the server comes again.
            if not error.is_unreachable:
                raise
        time.sleep(IDLE_S)


def once(app: veille.App, worker: Worker, log: Log) -> None:
    # On a busy machine a lease of two seconds may end before anything is committed: then it waits, and works again.
    worker.drain(Scope(), log.committed, wait=True)
    worker.finish()
    app.deliver([dossier.id for dossier in app.dossiers.all()])


def drain(app: veille.App, worker: Worker, log: Log) -> None:
    worker.drain(Scope(), log.committed, wait=True)
    worker.finish()
    ids = [dossier.id for dossier in app.dossiers.all()]
    for delivery in app.deliver(ids, wait=True, at_once=True):
        log.write({"delivered": delivery.delivered, "pending": delivery.pending, "error": delivery.error})


def create(app: veille.App, worker: Worker, log: Log) -> None:
    number = 0
    while True:
        number += 1
        dossier = app.create_dossier(f"{worker.name} {number}")
        log.write({"created": dossier.id})


_MODES: dict[str, Callable[[veille.App, Worker, Log], None]] = {
    "loop": loop,
    "once": once,
    "drain": drain,
    "create": create,
}

if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
