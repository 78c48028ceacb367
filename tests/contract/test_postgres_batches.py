"""How often the commit of a batch waits for the server: as often as one statement needs the rows of another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import Pipeline, sql
from pydantic import SecretStr

from contract.stores import STORES, program_of
from contract.test_sqlite_batches import MINUTE, _article
from desk import EVERYTHING, Desk
from postgres_server import shared
from samples import NOW, document, request
from veille.adapters.stores.postgres._db import PostgresDatabase
from veille.adapters.stores.sqlite.commit.boilerplate import SqliteBoilerplate
from veille.adapters.stores.sqlite.commit.memory import SqliteMemory
from veille.core.change.memory import Lookup
from veille.core.fingerprint import content_hash
from veille.core.models import Lease, Reading
from veille.core.workload import Room
from veille.settings import Settings

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
    asked = [Lookup("twin", (content_hash(f"Another text {number}"), "")) for number in range(48)]
    with desk.open() as opened:
        db: PostgresDatabase = opened.db  # type: ignore[attr-defined]
        statement, bindings = SqliteMemory(db, SqliteBoilerplate(db))._ask_twin(asked)[0]
        plan = db.execute(f"EXPLAIN (ANALYZE, BUFFERS) {statement}", bindings)
        pages = db.value("SELECT pg_relation_size('veille_tables.documents') / 8192")
    store.close()
    store.after()
    read = next(int(found[1]) for (line,) in plan if (found := re.search(r"Buffers: shared hit=(\d+)", line)))
    assert 0 < read < 2 * pages * len(asked), plan


#: Tables that grow with a dossier, and what differs from row to row.
_GROWING = {
    "sources": {"id": "id || '-' || copy", "key": "key || '-' || copy"},
    "requests": {
        "id": "id || '-' || copy",
        "source_id": "source_id || '-' || copy",
        "document_id": "document_id || '-' || copy",
        "url": "url || copy",
        "due_at": "due_at * 2",
    },
    "documents": {
        "row": "row + copy * 1000",
        "id": "id || '-' || copy",
        "source_id": "source_id || '-' || copy",
        "revision_id": "revision_id || '-' || copy",
        "content_hash": "content_hash || copy",
    },
    "identities": {"key": "key || copy", "document_id": "document_id || '-' || copy"},
    "revisions": {"id": "id || '-' || copy", "document_id": "document_id || '-' || copy"},
    "bodies": {"row": "row + copy * 1000"},
    "sightings": {"document_id": "document_id || '-' || copy", "source_id": "source_id || '-' || copy"},
    "outbox": {"seq": "seq + copy * 1000", "document_id": "document_id || '-' || copy"},
    "stories": {"row": "row + copy * 1000", "id": "id || '-' || copy"},
    "story_documents": {"story": "story + copy * 1000", "document": "document + copy * 1000"},
    "story_marks": {"mark": "mark + copy", "story": "story + copy * 1000"},
}
_TIMES = 1000
_READ = (
    "SELECT relname, coalesce(seq_tup_read, 0) + (SELECT coalesce(sum(idx_tup_read), 0) FROM pg_stat_user_indexes AS i "
    "WHERE i.relid = t.relid) FROM pg_stat_user_tables AS t WHERE schemaname = 'veille_tables'"
)


def test_a_batch_reads_only_what_it_asks_for_however_large_the_dossier_is(tmp_path: Path) -> None:
    """Row-level security may keep a statement from using an index: then it would read all of the dossier."""
    server, size = shared(), 16
    url = server.url(server.database(server.ready))
    program = program_of(Settings(data=tmp_path, store=SecretStr(url), min_free_mb=0))
    desk = Desk(program, program.dossiers.create("news", NOW).id)
    sources = [desk.add(f"https://host{number}.example/").id for number in range(size)]
    leases = desk.claim(now=NOW, limit=size)
    assert len(desk.commit_batches([[_reading(lease, "new", at) for at, lease in enumerate(leases)]], NOW)) == size
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        for table, columns in _GROWING.items():
            _grow(connection, table, columns)
        connection.execute("ANALYZE")
    with psycopg.connect(url, autocommit=True) as connection:
        # What others have read is counted when they end.
        connection.execute("SELECT pg_stat_reset()")
    for turn, name in enumerate(("new", "same bytes", "same text", "changed", "linked"), 1):
        now = NOW + turn * MINUTE
        program.queue.arm(desk.dossier_id, now, sources)
        leases = program.queue.claim("worker", now, Room(total=size, per_host=1), EVERYTHING)
        readings = [_reading(lease, name, number) for number, lease in enumerate(leases)]
        assert len(desk.commit_batches([readings], now)) == size
        program.queue.release("worker", now)
    program.dossiers.close()
    with psycopg.connect(url, autocommit=True) as connection:
        read = {str(name): int(rows) for name, rows in connection.execute(_READ)}
    # A claim looks through the sources for those that are paused.
    assert {name: rows for name, rows in read.items() if rows > size * _TIMES // 2 and name != "sources"} == {}


def _grow(connection: psycopg.Connection[tuple[Any, ...]], table: str, columns: dict[str, str]) -> None:
    """A thousand copies of each row, which differ in these columns."""
    rows = connection.execute(
        "SELECT column_name FROM information_schema.columns WHERE table_schema = 'veille_tables' AND table_name = %s",
        (table,),
    )
    names = [str(name) for (name,) in rows]
    connection.execute(
        sql.SQL(
            "INSERT INTO veille_tables.{0} ({1}) "
            "SELECT {2} FROM veille_tables.{0} AS t, generate_series(1, {3}) AS copy"
        ).format(
            sql.Identifier(table),
            sql.SQL(", ").join(map(sql.Identifier, names)),
            sql.SQL(", ").join(
                sql.SQL(columns[name]) if name in columns else sql.Identifier("t", name) for name in names
            ),
            _TIMES,
        )
    )
