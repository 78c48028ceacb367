"""What the command line says of a store on PostgreSQL."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from command import Cli
from postgres_server import shared


@pytest.fixture
def database() -> Iterator[str]:
    name = shared().database(shared().ready)
    yield name
    shared().drop(name)


def test_the_doctor_names_the_database(database: str, tmp_path: Path) -> None:
    cli = Cli(tmp_path, VEILLE_STORE=shared().url(database).replace("postgres@", "postgres:hidden@"))
    cli("dossiers", "add", "news")
    said = cli("doctor") + cli.stderr
    assert f"/{database}: 1 dossier, healthy" in said
    report = cli.json("doctor")
    assert report["store"].endswith(f"/{database}")
    assert "hidden" not in f"{said}{report}"


def test_an_address_that_is_set_to_nothing_is_none(cli: Cli, tmp_path: Path) -> None:
    empty = Cli(tmp_path, VEILLE_STORE="")
    empty("dossiers", "add", "news")
    assert [one["name"] for one in cli.json("dossiers")] == ["news"]
    assert cli.json("doctor")["store"] == str(cli.json("doctor")["data"])


@pytest.mark.parametrize(
    "wrong",
    [
        "@host/db?sslmode=bogus",
        "@host/db?port=geh",
        "ge heim@host/db",
        "@[::1/db",
        "@::1]/db",
        "@[v]/db",
        ":tra@lala/geheim@host/db",
    ],
)
def test_an_address_that_is_none_ends_every_command_at_once(tmp_path: Path, wrong: str) -> None:
    began = time.monotonic()
    cli = Cli(tmp_path, VEILLE_STORE=f"postgresql://user:zvk{wrong}")
    for command in ("sources", "serve", "backup x.zip", "move --to elsewhere"):
        cli(*command.split(), status=78)
        assert "[store.bad_url]" in cli.stderr
        assert [part for part in ("zvk", "lala", "geheim") if part in cli.stderr] == []
        assert cli.stderr.count("\n") == 1
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(
    ("place", "named"),
    [
        ("%2Fnowhere/db", "this machine"),
        ("/db?host=/nowhere", "this machine"),
        ("127.0.0.1:1/db", "127.0.0.1"),
        ("/db?port=1&host=127.0.0.1", "127.0.0.1"),
        ("[::1]:1/db", "::1"),
    ],
)
def test_the_host_that_is_waited_for_is_named_for_people(tmp_path: Path, place: str, named: str) -> None:
    cli = Cli(tmp_path, VEILLE_STORE=f"postgresql://user@{place}")
    command = [sys.executable, "-m", "veille", "sources"]
    with subprocess.Popen(command, env=cli.environment, stderr=subprocess.PIPE, text=True) as started:
        try:
            assert started.stderr is not None
            assert started.stderr.readline() == f"Waiting for the database on {named} ...\n"
        finally:
            started.kill()


def test_what_a_move_goes_to_is_not_repeated(cli: Cli) -> None:
    cli("dossiers", "add", "news")
    cli("move", "--to", "mysql://user:zvk@host/db", status=2)
    assert "[move.bad_target]" in cli.stderr
    assert "zvk" not in cli.stderr


def test_no_source_archives_where_archive_files_have_no_place(database: str, tmp_path: Path) -> None:
    cli = Cli(tmp_path, VEILLE_STORE=shared().url(database), VEILLE_BODIES__PLACE="")
    placed = Cli(tmp_path, VEILLE_STORE=shared().url(database), VEILLE_BODIES__PLACE=str(tmp_path / "bodies"))
    add = ("add", "--kind", "page", "--set")
    for rule in ("archive after 0d", "last 9, archive after 1y"):
        cli(*add, f"retention={rule}", "http://127.0.0.1/a", status=2)
        assert "[no_archive]" in cli.stderr
    cli(*add, "retention=last 9", "http://127.0.0.1/a")
    edit = ("sources", "edit", "http://127.0.0.1/a", "--set")
    cli(*edit, "retention=archive after 0d", status=2)
    assert "[no_archive]" in cli.stderr
    placed(*edit, "retention=archive after 0d")
    placed(*add, "retention=archive after 0d", "http://127.0.0.1/b")
    # What is there already can be changed, and carried out as far as that goes.
    cli(*edit, "tags=x")
    assert cli.json("retention", "run")["dossiers"][0]["unarchived"] == 0


def test_files_have_room_for_archives_beside_them(cli: Cli) -> None:
    cli("add", "--kind", "page", "--set", "retention=archive after 0d", "http://127.0.0.1/a")
