"""Through PgBouncer in transaction mode: each transaction may run on another connection, which others used before."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from bouncer import Bouncer
from contract.stores import program_of
from crash.campaign import Campaign
from crash.processes import Place
from crash.scene import Size
from desk import LEASE_MS, Desk, Program
from postgres_server import shared
from samples import NOW
from veille.errors import StoreError
from veille.settings import Settings

DOSSIERS = 6
pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def bouncer() -> Iterator[Bouncer]:
    with Bouncer(shared()) as one:
        yield one


@pytest.fixture
def database() -> Iterator[str]:
    name = shared().database(shared().ready)
    yield name
    shared().drop(name)


@pytest.fixture
def program(bouncer: Bouncer, database: str, tmp_path: Path) -> Iterator[Program]:
    settings = Settings(data=tmp_path, store=SecretStr(bouncer.url(database)), lease_s=LEASE_MS / 1000, min_free_mb=0)
    opened = program_of(settings)
    yield opened
    opened.dossiers.close()


@pytest.mark.covers("R-002")
def test_threads_that_share_a_few_connections_see_the_rows_of_their_own_dossier_alone(
    program: Program, bouncer: Bouncer, database: str
) -> None:
    ids = [program.dossiers.create(f"dossier {number}", NOW).id for number in range(DOSSIERS)]
    problems: list[str] = []

    def work(dossier_id: str) -> None:
        desk = Desk(program, dossier_id)
        for turn in range(8):
            with program.dossiers.open(dossier_id) as store:
                desk.add(f"http://{dossier_id}.example/{turn}")
                found = {source.url for source in store.sources.all()}
                if len(found) != turn + 1 or any(dossier_id not in url for url in found):
                    problems.append(f"{dossier_id}: {sorted(found)}")

    threads = [threading.Thread(target=work, args=(one,)) for one in ids]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    assert bouncer.transactions(database) > 8 * DOSSIERS, "it was asked"


def test_whoever_does_not_say_that_it_stands_between_is_told_to(
    bouncer: Bouncer, database: str, tmp_path: Path
) -> None:
    store = SecretStr(bouncer.url(database).removesuffix("&pgbouncer=true"))
    # Each has statements prepared, under the names that the others take.
    programs = [program_of(Settings(data=tmp_path / str(n), store=store, min_free_mb=0)) for n in range(3)]
    with pytest.raises(StoreError, match="pgbouncer=true") as caught:
        _ = [one.dossiers.all() for _ in range(40) for one in programs]
    assert caught.value.code == "store.refused"
    for one in programs:
        one.dossiers.close()


def test_workers_that_are_killed_behind_it_lose_nothing_and_deliver_nothing_twice(
    bouncer: Bouncer, database: str, tmp_path: Path
) -> None:
    seed = random.SystemRandom().getrandbits(32)
    place = Place(tmp_path, store=bouncer.url(database))
    report = Campaign(place, seed, Size(2, 1, 6, 1, 4), points=("before_commit",)).run(2)
    assert not report.breaches, report.text()
    assert report.kills.total() >= 2, report.text()
