"""What several machines on one database know of each other."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from pydantic import SecretStr

from postgres_server import shared
from veille.adapters.stores.postgres import presence
from veille.bootstrap.stores import open_store
from veille.ports import Store
from veille.settings import Settings

LEASE_MS = 60_000


@pytest.fixture
def database() -> Iterator[str]:
    server = shared()
    name = server.database(server.ready)
    yield server.url(name)
    server.drop(name)


@pytest.fixture
def machines(database: str, tmp_path: Path) -> Iterator[list[Store]]:
    """Two machines, each with a data folder of its own."""
    made = [
        open_store(Settings(data=tmp_path / name, store=SecretStr(database), lease_s=LEASE_MS / 1000))
        for name in ("one", "two")
    ]
    yield made
    for store in made:
        store.dossiers.close()


def test_a_program_of_another_machine_is_there_while_it_says_so_and_as_long_as_its_leases_last(
    machines: list[Store], database: str
) -> None:
    here, there = (store.presence for store in machines)
    with there.hold("them"):
        assert here.is_there("them")
        assert not here.is_there("nobody")
        with psycopg.connect(database) as connection:
            connection.execute("UPDATE veille.programs SET beat_at = beat_at - %s", (LEASE_MS - 5000,))
        assert here.is_there("them"), "it may still send"
        with psycopg.connect(database) as connection:
            connection.execute("UPDATE veille.programs SET beat_at = beat_at - 20000")
        assert not here.is_there("them")
        assert there.is_there("them"), "files of its own machine know better"
    assert not here.is_there("them")
    with psycopg.connect(database) as connection:
        assert connection.execute("SELECT count(*) FROM veille.programs").fetchone() == (0,)


def test_a_program_that_others_took_for_dead_is_there_again_with_its_next_beat(
    machines: list[Store], database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presence, "_BEAT_S", 0.05)
    here, there = (store.presence for store in machines)
    with there.hold("them"):
        with psycopg.connect(database) as connection:
            connection.execute("DELETE FROM veille.programs")
        deadline = time.monotonic() + 20
        while not here.is_there("them") and time.monotonic() < deadline:
            time.sleep(0.02)
        assert here.is_there("them")
    time.sleep(0.2)
    assert not here.is_there("them")


def test_the_time_is_the_databases(machines: list[Store], database: str) -> None:
    clock = machines[0].clock
    assert clock is not None
    with psycopg.connect(database) as connection:
        row = connection.execute("SELECT extract(epoch FROM clock_timestamp()) * 1000").fetchone()
        assert row is not None
        assert abs(clock() - float(row[0])) < 2000
    begun, before = time.monotonic(), clock()
    while time.monotonic() - begun < 0.2:
        time.sleep(0.05)
    assert 190 <= clock() - before < 5000
