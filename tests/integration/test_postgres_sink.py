"""The sink `postgres` on a real server: restarted in the middle, without rights, with a role that owns nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

from postgres_server import PostgresServer
from samples import STORY
from veille.adapters.sinks.postgres import PostgresConfig, PostgresSink
from veille.core.records import Parcel
from veille.errors import SinkError
from veille.ports import Means
from watching import Watch, sink_means
from world import Site


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    # What was committed must outlive the kill of the server.
    with PostgresServer(synchronous_commit="on") as started:
        yield started


@pytest.fixture
def url(server: PostgresServer) -> Iterator[str]:
    name = server.database()
    yield server.url(name)
    server.drop(name)


def _asked(url: str, question: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(url) as connection:
        return connection.execute(question.encode()).fetchall()


def _watched(watch: Watch, pages: int = 3) -> None:
    for number in range(pages):
        path = f"/{number}"
        watch.site[path] = f"<html lang=en><title>{path}</title><main><article><p>{number} {STORY} {'a ' * number}"
        watch.add(path, "page")
        watch.run()


def test_an_encoding_of_the_environment_changes_no_text(
    site: Site, tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    with Watch(site, tmp_path, buffer_dir=None, sinks={"desk": {"kind": "postgres", "url": url}}) as watch:
        site["/"] = f"<html lang=pl><title>Zażółć 猫</title><main><article><p>{STORY}"
        watch.add("/", "page")
        watch.run()
        assert [one.delivered for one in watch.deliver()] == [1]
        assert _asked(url, "SELECT convert_to(title, 'UTF8') FROM veille_documents") == [("Zażółć 猫".encode(),)]


@pytest.mark.covers("R-243")
def test_changes_are_rows_with_the_types_of_postgres(site: Site, tmp_path: Path, url: str) -> None:
    with Watch(site, tmp_path, buffer_dir=None, sinks={"desk": {"kind": "postgres", "url": url}}) as watch:
        _watched(watch)
        assert [one.delivered for one in watch.deliver()] == [3]
        assert _asked(url, "SELECT seq, change, title, jsonb_typeof(meta) FROM veille_changes ORDER BY seq") == [
            (number + 1, "new", f"/{number}", "object") for number in range(3)
        ]
        types = dict(
            _asked(url, "SELECT column_name, data_type FROM information_schema.columns WHERE table_name LIKE 'veille%'")
        )
        assert (types["at"], types["seq"], types["changed_metadata"]) == ("timestamp with time zone", "bigint", "jsonb")
        assert types["removed_at"] == "timestamp with time zone"


def test_a_server_that_goes_down_is_told_and_nothing_is_lost_or_doubled(
    site: Site, tmp_path: Path, server: PostgresServer, url: str
) -> None:
    with Watch(site, tmp_path, buffer_dir=None, sinks={"desk": {"kind": "postgres", "url": url}}) as watch:
        _watched(watch, 2)
        watch.deliver()
        _watched_more(watch)
        server.stop("immediate")
        (failed,) = watch.deliver()
        assert (failed.delivered, failed.code) == (0, "sink.sql")
        server.start()
        (done,) = watch.app.deliver([watch.dossier_id], at_once=True)
        assert (done.delivered, done.code) == (1, ""), done.error
        assert _asked(url, "SELECT seq FROM veille_changes ORDER BY seq") == [(1,), (2,), (3,)]
        # A table that somebody dropped is made again, and gets what comes from then on.
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("DROP TABLE veille_changes")
        watch.site["/last"] = f"<html lang=en><title>Last</title><main><article><p>Last. {STORY.upper()}"
        watch.add("/last", "page")
        watch.run()
        assert [one.code for one in watch.deliver()] == ["sink.sql"]
        assert [one.delivered for one in watch.app.deliver([watch.dossier_id], at_once=True)] == [1]


def _watched_more(watch: Watch) -> None:
    watch.site["/more"] = f"<html lang=en><title>More</title><main><article><p>More. {STORY[::-1]}"
    watch.add("/more", "page")
    watch.run()


def test_a_role_without_rights_is_told_and_one_that_owns_nothing_is_enough(
    site: Site, tmp_path: Path, url: str
) -> None:
    reader, means = f"desk_{os.getpid()}", sink_means()
    mine = url.replace("postgres@/", f"{reader}@/")
    with Watch(site, tmp_path) as watch, closing(means.sender):
        _watched(watch)
        with watch.app.dossiers.open(watch.dossier_id) as store:
            parcels = store.outbox.parcels(0, 10)
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"CREATE ROLE {reader} LOGIN".encode())
        assert "permission denied" in _refused(mine, parcels, means)
        PostgresSink(PostgresConfig.model_validate({"url": url}), means).deliver(parcels[:1])
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"GRANT SELECT, INSERT, UPDATE ON veille_changes, veille_documents TO {reader}".encode())
        assert PostgresSink(PostgresConfig.model_validate({"url": mine}), means).deliver(parcels) == 2


def _refused(url: str, parcels: list[Parcel], means: Means) -> str:
    with pytest.raises(SinkError) as raised:
        PostgresSink(PostgresConfig.model_validate({"url": url}), means).deliver(parcels)
    return str(raised.value)


def test_texts_that_postgres_cannot_store_are_stored_without_the_rest(site: Site, tmp_path: Path, url: str) -> None:
    means = sink_means()
    with Watch(site, tmp_path) as watch, closing(means.sender):
        _watched(watch, 1)
        with watch.app.dossiers.open(watch.dossier_id) as store:
            (parcel,) = store.outbox.parcels(0, 10)
        odd = replace(parcel.revision, title="a\0b", text="c\0d" * 1_000_000, meta={"e\0": ["f\0", {"g": "\0"}]})
        sink = PostgresSink(PostgresConfig.model_validate({"url": url.replace("postgresql:", "postgres:")}), means)
        assert sink.deliver([replace(parcel, revision=odd)]) == 1
        assert _asked(url, "SELECT title, length(text), meta FROM veille_documents") == [
            ("ab", 2_000_000, {"e": ["f", {"g": ""}]})
        ]
