"""A server that ends, in the middle of a transaction or between two: the transaction is done or not, never half."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, nullcontext
from pathlib import Path

import psycopg
import pytest
from pydantic import SecretStr

import veille
from contract.stores import program_of
from desk import EVERYTHING, RUN, Desk
from postgres_server import PostgresServer
from process_tree import descendants, wait_until
from samples import NOW, document
from veille.adapters.stores.postgres import presence
from veille.bootstrap.stores import open_store
from veille.core.change.decide import decide
from veille.core.models import Reading
from veille.core.traffic import Payload
from veille.errors import StoreError
from veille.ports import DossierStore
from veille.settings import Settings


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    # A commit is in the log when it returns, and with it the claims before it, which do not wait for that.
    with PostgresServer(synchronous_commit="on") as started:
        yield started


def _write(store: DossierStore, reading: Reading, before_commit: Callable[[], None]) -> None:
    with store.writing() as writer:
        assert writer.held([reading.lease], NOW)
        writer.apply([decide(reading, writer, NOW)], RUN, NOW)
        before_commit()


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_a_batch_under_way_when_the_server_ends_leaves_nothing_and_is_done_again(
    server: PostgresServer, tmp_path: Path, mode: str
) -> None:
    url = server.url(server.database(server.ready))
    program = program_of(Settings(data=tmp_path, store=SecretStr(url), min_free_mb=0))
    desk = Desk(program, program.dossiers.create("news", NOW).id)
    desk.add()
    (lease,) = desk.claim()
    answer = Payload(url=lease.request.url, status=200, body=b"", fetched_at=NOW, final_url=lease.request.url)
    reading = Reading(lease=lease, payload=answer, failure=None, documents=(document(),), requests=())
    with desk.open() as opened:
        opened.runs.start(RUN, NOW)
        with pytest.raises(StoreError) as caught:
            _write(opened, reading, lambda: server.stop(mode))
        assert caught.value.code == "store.unreachable"
        server.start()
        # The connections of the pool are replaced by themselves.
        assert (opened.records.documents(), opened.outbox.events()) == ([], [])
    assert desk.commit(lease, document()) is not None
    with desk.open() as opened:
        assert [one.text for one in opened.records.documents()] == [document().text]
        assert len(opened.outbox.events()) == 1
    program.dossiers.close()


def test_a_program_that_begins_while_the_server_is_restarted_waits_for_it(
    server: PostgresServer, tmp_path: Path
) -> None:
    url = server.url(server.database(server.ready))
    store = open_store(Settings(data=tmp_path, store=SecretStr(url), min_free_mb=0))
    with closing(psycopg.connect(url)) as other, ThreadPoolExecutor() as thread, ExitStack() as held:
        # It waits for its turn when the server ends.
        other.execute("SELECT pg_advisory_xact_lock(veille_functions.lock_of(''))")
        begun = thread.submit(held.enter_context, store.presence.hold("us"))
        wait_until(lambda: _is_waiting(url))
        server.stop("immediate")
        server.start()
        begun.result()
        assert store.presence.is_there("us")
    store.dossiers.close()


@pytest.mark.parametrize("ask", [Desk.claim, lambda desk: desk.program.queue.backlog(NOW, EVERYTHING)])
def test_a_dossier_whose_connection_was_cut_has_work_as_before(
    server: PostgresServer, tmp_path: Path, ask: Callable[[Desk], object]
) -> None:
    url = server.url(server.database(server.ready))
    program = program_of(Settings(data=tmp_path, store=SecretStr(url), min_free_mb=0))
    desk = Desk(program, program.dossiers.create("news", NOW).id)
    desk.add()
    with closing(psycopg.connect(url)) as other, ThreadPoolExecutor() as thread:
        other.execute("LOCK veille_tables.requests")
        asked = thread.submit(ask, desk)
        wait_until(lambda: _is_waiting(url, "relation"))
        # The next connection is made at once, as after a network that was cut.
        other.execute("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted")
        other.rollback()
        with pytest.raises(StoreError) as caught:
            asked.result()
    assert caught.value.is_unreachable
    assert len(desk.claim()) == 1
    program.dossiers.close()


@pytest.mark.parametrize(
    ("setting", "code"),
    [
        ("statement_timeout = '1ms'", "store.busy"),
        # What of an operator's settings changes nothing.
        ("default_transaction_isolation = 'serializable'", ""),
        ("row_security = 'off'", ""),
    ],
)
def test_what_an_operator_sets_for_the_role_is_no_bug_of_ours(
    server: PostgresServer, tmp_path: Path, setting: str, code: str
) -> None:
    name = server.database(server.ready)
    program = program_of(Settings(data=tmp_path, store=SecretStr(server.url(name)), min_free_mb=0))
    desk = Desk(program, program.dossiers.create("news", NOW).id)
    desk.add()
    program.dossiers.close()
    with psycopg.connect(server.url(name), autocommit=True) as operator:
        operator.execute("DO $$ BEGIN IF to_regrole('limited') IS NULL THEN CREATE ROLE limited LOGIN; END IF; END $$")
        operator.execute("GRANT veille_app TO limited")
        operator.execute("ALTER ROLE limited RESET ALL")
        operator.execute(f"ALTER ROLE limited SET {setting}".encode())
    limited = Settings(data=tmp_path, store=SecretStr(server.url(name, "limited")), min_free_mb=0)
    with pytest.raises(StoreError, match="raise it") if code else nullcontext() as caught:
        program = program_of(limited)
        with closing(program.dossiers):
            for _ in range(50):
                with Desk(program, desk.dossier_id).open() as opened:
                    assert opened.records.health(NOW)["integrity"] == "ok"
    assert caught is None or caught.value.code == code


@pytest.mark.parametrize("what", ["dead", "frozen"])
def test_a_program_ends_at_once_without_its_server_and_is_forgotten_with_its_last_beat(
    server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    monkeypatch.setattr(presence, "_BEAT_S", 0.2)
    url = server.url(server.database(server.ready))
    app = veille.open_app(data=tmp_path, store=SecretStr(url), min_free_mb=0)
    dossier_id = app.create_dossier("news").id
    name = app.worker().name
    with ExitStack() as ending:
        if what == "frozen":
            postmaster = int((server.folder / "data" / "postmaster.pid").read_text().split()[0])
            pids = [postmaster, *descendants(postmaster)]
            for pid in pids:
                os.kill(pid, signal.SIGSTOP)
                ending.callback(os.kill, pid, signal.SIGCONT)
        else:
            server.stop("immediate")
            ending.callback(server.start)
        # A beat waits for the server by now.
        time.sleep(0.5)
        began = time.monotonic()
        app.close()
        assert time.monotonic() - began < 4
    with veille.open_app(data=tmp_path, store=SecretStr(url), min_free_mb=0) as again:
        assert [one.id for one in again.dossiers.all()] == [dossier_id]
        assert not again.store.presence.is_there(name.rpartition(":")[0])


def test_a_farewell_that_comes_late_does_not_end_what_began_meanwhile(
    server: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presence, "_FAREWELL_S", 0.05)
    url = server.url(server.database(server.ready))
    store = open_store(Settings(data=tmp_path / "here", store=SecretStr(url), min_free_mb=0))
    other = open_store(Settings(data=tmp_path / "there", store=SecretStr(url), min_free_mb=0))
    with closing(psycopg.connect(url)) as slow:
        with store.presence.hold("us"):
            slow.execute("LOCK veille.programs")
        with ThreadPoolExecutor() as thread, ExitStack() as held:
            begun = thread.submit(held.enter_context, store.presence.hold("us"))
            wait_until(lambda: _is_waiting(url, "relation"))
            slow.rollback()
            begun.result()
            assert other.presence.is_there("us")
    wait_until(lambda: not other.presence.is_there("us"))
    for one in (store, other):
        one.dossiers.close()


def _is_waiting(url: str, locktype: str = "advisory") -> bool:
    with psycopg.connect(url) as connection:
        row = connection.execute(
            "SELECT count(*) FROM pg_locks WHERE locktype = %s AND NOT granted", (locktype,)
        ).fetchone()
    return row == (1,)
