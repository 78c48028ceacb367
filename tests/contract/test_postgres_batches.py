"""How often the commit of a batch waits for the server: as often as one statement needs the rows of another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from psycopg import Pipeline

from contract.stores import STORES
from contract.test_sqlite_batches import MINUTE, _article
from desk import EVERYTHING, Desk
from samples import NOW, document, request
from veille.adapters.stores.postgres._db import PostgresDatabase
from veille.adapters.stores.sqlite.commit.boilerplate import SqliteBoilerplate
from veille.adapters.stores.sqlite.commit.memory import SqliteMemory
from veille.core.change.memory import Lookup
from veille.core.fingerprint import content_hash
from veille.core.models import Lease, Reading
from veille.core.workload import Room

#: With the end of the transaction, behind which the catalog is told when the dossier is due.
WAITS = {"new": 4, "same bytes": 3, "same text": 4, "changed": 5, "limited": 5, "linked": 5, "unlisted": 6}


@pytest.mark.parametrize("size", [3, 30])
def test_a_batch_waits_for_the_server_a_few_times_however_large_it_is(tmp_path: Path, size: int) -> None:
    store = STORES["postgres"](tmp_path)
    program = store.program()
    desk = Desk(program, program.dossiers.create("news", NOW).id)
    for number in range(size):
        desk.add(f"https://host{number}.example/")
    found = {}
    for turn, name in enumerate(WAITS):
        now = NOW + turn * MINUTE
        program.queue.arm(desk.dossier_id, now)
        leases = [one for one in desk.claim(now=now, limit=size) if one.request.purpose == "root"]
        while len(leases) < size:
            more = program.queue.claim("worker", now, Room(total=size, per_host=1), EVERYTHING)
            leases += [one for one in more if one.request.purpose == "root"]
        readings = [_reading(lease, name, number) for number, lease in enumerate(leases)]
        with _round_trips() as counted:
            assert len(desk.commit_batches([readings], now)) == size
        found[name] = len(counted)
        program.queue.release("worker", now)
    store.close()
    store.after()
    assert found == WAITS


def _reading(lease: Lease, name: str, number: int) -> Reading:
    read = _article(lease, name, number)
    if name != "linked":
        return read
    return replace(read, requests=tuple(request(lease.source, f"{lease.request.url}{at}", "entry") for at in range(3)))


@contextmanager
def _round_trips() -> Iterator[list[str]]:
    """How often the client waits for all that it sent: to read rows, or at the end of what is sent together."""
    found: list[str] = []
    leave, sync, fetch = Pipeline._exit_gen, Pipeline._sync_gen, Pipeline._fetch_gen
    leaving: set[int] = set()

    def left(pipeline: Pipeline) -> Iterator[Any]:
        found.append("end")
        leaving.add(id(pipeline))
        yield from leave(pipeline)
        leaving.discard(id(pipeline))

    def synced(pipeline: Pipeline) -> Iterator[Any]:
        found.append("sync")
        yield from sync(pipeline)

    def fetched(pipeline: Pipeline, *, flush: bool) -> Iterator[Any]:
        if flush and pipeline.result_queue and id(pipeline) not in leaving:
            found.append("rows")
        yield from fetch(pipeline, flush=flush)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Pipeline, "_exit_gen", left)
        patch.setattr(Pipeline, "_sync_gen", synced)
        patch.setattr(Pipeline, "_fetch_gen", fetched)
        yield found


def test_looking_for_twins_in_a_dossier_without_statistics_reads_no_more_than_one_look_through_it_each(
    tmp_path: Path,
) -> None:
    store = STORES["postgres"](tmp_path)
    program = store.program()
    desk = Desk(program, program.dossiers.create("news", NOW).id)
    desk.bring(*(document(f"https://example.org/{number}", f"Text {number}") for number in range(240)))
    asked = [Lookup("twin", (content_hash(f"Another text {number}"),)) for number in range(48)]
    with desk.open() as opened:
        db: PostgresDatabase = opened.db  # type: ignore[attr-defined]
        statement, bindings = SqliteMemory(db, SqliteBoilerplate(db))._ask_twin(asked)[0]
        plan = db.execute(f"EXPLAIN (ANALYZE, BUFFERS) {statement}", bindings)
        pages = db.value("SELECT pg_relation_size('veille_tables.documents') / 8192")
    store.close()
    store.after()
    read = next(int(found[1]) for (line,) in plan if (found := re.search(r"Buffers: shared hit=(\d+)", line)))
    assert 0 < read < 2 * pages * len(asked), plan
