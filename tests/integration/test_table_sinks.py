"""Changes as rows of databases and as Parquet files: once each, whatever is killed or goes down."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlalchemy as sa

import veille
from samples import NOW, STORY
from veille.adapters.sinks.sql import SqlConfig, SqlSink
from veille.core.records import Parcel
from veille.errors import SettingError, SinkError
from watching import Watch, sink_means
from world import Page, Site

_ROWS = "SELECT document_id, seq, revision, title, removed_at IS NULL FROM veille_documents ORDER BY seq"


def _page(site: Site, path: str, text: str) -> None:
    site[path] = f"<html lang=en><title>{path}</title><main><article><p>{text} {STORY}</p></article></main></html>"


def _history(watch: Watch) -> None:
    """Two pages; one changes, the other is removed. One after the other: which of two comes first would be chance."""
    for path in ("/a", "/b"):
        _page(watch.site, path, f"First of {path}.")
        watch.add(path, "page", look_twice=False)
        watch.run()
    watch.deliver()
    _page(watch.site, "/a", "Second.")
    watch.turn()
    watch.site["/b"] = Page(b"gone", status=410)
    watch.turn()


def _parcels(watch: Watch) -> list[Parcel]:
    with watch.app.dossiers.open(watch.dossier_id) as store:
        return store.outbox.parcels(0, 100)


def _asked(url: str, question: str) -> list[tuple[Any, ...]]:
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    with engine.connect() as connection:
        return [tuple(row) for row in connection.execute(sa.text(question))]


@pytest.mark.covers("R-243")
@pytest.mark.parametrize("scheme", ["sqlite", "duckdb"])
def test_every_change_is_a_row_and_every_document_is_as_it_is_now(site: Site, tmp_path: Path, scheme: str) -> None:
    url = f"{scheme}:///{tmp_path / 'news.db'}"
    with Watch(site, tmp_path, buffer_dir=None, sinks={"desk": {"kind": "sql", "url": url}}) as watch:
        _history(watch)
        assert [one.delivered for one in watch.deliver()] == [2]
        changes = _asked(url, 'SELECT seq, change, revision, url, "text" FROM veille_changes ORDER BY seq')
        assert [row[:3] for row in changes] == [(1, "new", 1), (2, "new", 1), (3, "changed", 2), (4, "removed", 1)]
        assert changes[2][3] == f"{site.url}/a"
        assert changes[2][4].startswith("Second.")
        documents = {title: (seq, revision, is_here) for _, seq, revision, title, is_here in _asked(url, _ROWS)}
        assert documents == {"/a": (3, 2, True), "/b": (4, 1, False)}
        # A reader continues from where it was.
        assert _asked(url, "SELECT seq FROM veille_changes WHERE seq > 3") == [(4,)]


def test_what_comes_again_is_stored_once_and_what_is_old_changes_nothing(site: Site, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'news.db'}"
    means = sink_means()
    with Watch(site, tmp_path) as watch, closing(means.sender):
        _history(watch)
        parcels = _parcels(watch)
        sink = SqlSink(SqlConfig.model_validate({"url": url}), means)
        assert [sink.deliver(parcels[:3]), sink.deliver(parcels), sink.deliver(parcels[:2]), sink.deliver([])] == [
            *(3, 1, 0, 0)
        ]
        rows = _asked(url, _ROWS)
        assert [row[1:3] for row in rows] == [(3, 2), (4, 1)]
        assert _asked(url, "SELECT count(*) FROM veille_changes") == [(4,)]


def test_a_table_without_a_column_and_a_database_that_is_not_there_are_told(site: Site, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'news.db'}"
    means = sink_means()
    with Watch(site, tmp_path) as watch, closing(means.sender):
        _history(watch)
        parcels = _parcels(watch)
        with sa.create_engine(url, poolclass=sa.NullPool).begin() as connection:
            connection.execute(sa.text("CREATE TABLE old_changes (id TEXT PRIMARY KEY, dossier_id TEXT, seq INTEGER)"))
        with pytest.raises(SinkError, match="no column at, change") as raised:
            SqlSink(SqlConfig.model_validate({"url": url, "prefix": "old_"}), means).deliver(parcels)
        assert raised.value.code == "sink.sql_columns"
        missing = SqlConfig.model_validate({"url": f"sqlite:///{tmp_path}/no/folder.db"})
        with pytest.raises(SinkError, match="unable to open") as raised:
            SqlSink(missing, means).deliver(parcels)
        assert raised.value.code == "sink.sql"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"url": "nonsense"}, "bad_option"),
        ({"url": "nosuchdatabase://user:secret@host/x"}, "needs_extra"),
        ({"url": "sqlite://", "prefix": "a; DROP TABLE x"}, "bad_option"),
        ({}, "bad_option"),
    ],
)
def test_options_that_cannot_work_are_told_at_once_and_without_secrets(
    tmp_path: Path, options: dict[str, str], code: str
) -> None:
    with pytest.raises(SettingError) as raised:
        veille.open_app(data=tmp_path, sinks={"desk": {"kind": "sql", **options}})
    assert raised.value.code == code
    assert "secret" not in str(raised.value)


@pytest.mark.covers("R-243")
def test_parquet_files_lie_by_dossier_and_day_and_others_read_them(site: Site, tmp_path: Path) -> None:
    folder = tmp_path / "lake"
    with Watch(site, tmp_path, buffer_dir=None, sinks={"lake": {"kind": "parquet", "folder": folder}}) as watch:
        _history(watch)
        watch.now += 24 * 3_600_000
        _page(site, "/a", "Third.")
        watch.turn()
        watch.deliver()
        days = {path.parent.name for path in folder.rglob("*.parquet")}
        assert len(days) == 3
        assert f"date={datetime.fromtimestamp(NOW / 1000, UTC):%Y-%m-%d}" in days
        rows = duckdb.sql(
            f'SELECT seq, change, title, dossier_id = dossier, CAST("at" AS date) = CAST("date" AS date) '
            f"FROM read_parquet('{folder}/**/*.parquet', hive_partitioning = true) ORDER BY seq"
        ).fetchall()
        assert [row[:3] for row in rows] == [
            (1, "new", "/a"),
            (2, "new", "/b"),
            (3, "changed", "/a"),
            (4, "removed", "/b"),
            (5, "changed", "/a"),
        ]
        assert all(row[3] and row[4] for row in rows)


@pytest.mark.timeout(200)
@pytest.mark.parametrize("kind", ["sql", "parquet"])
def test_a_delivery_that_is_killed_comes_again_and_every_change_is_there_once(
    site: Site, tmp_path: Path, kind: str
) -> None:
    with Watch(site, tmp_path, buffer_dir=None) as watch:
        for number in range(30):
            _page(site, f"/{number}", f"Page {number}. {'word ' * number}")
            watch.add(f"/{number}", "page")
        watch.run()
    url, folder = f"sqlite:///{tmp_path / 'news.db'}", tmp_path / "lake"
    options = {"url": url} if kind == "sql" else {"folder": str(folder)}
    given = {f"VEILLE_SINKS__DESK__{name.upper()}": value for name, value in {"kind": kind, **options}.items()}
    environment = {**os.environ, "VEILLE_DATA": str(tmp_path / "data"), "VEILLE_DELIVER_BATCH": "7", **given}
    for point in ("before_outbox_mark:kill@1", "before_outbox_mark:kill@3", ""):
        done = subprocess.run(
            [sys.executable, "-m", "veille", "deliver", "--now", "--json"],
            env={**environment, "VEILLE_FAILPOINT": point},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == (-signal.SIGKILL if point else 0), done.stderr
        environment["VEILLE_DELIVER_BATCH"] = "11"
    found: Callable[[], list[Any]] = {
        "sql": lambda: [row[0] for row in _asked(url, "SELECT seq FROM veille_changes ORDER BY seq")],
        "parquet": lambda: [
            row[0]
            for row in duckdb.sql(f"SELECT seq FROM read_parquet('{folder}/**/*.parquet') ORDER BY seq").fetchall()
        ],
    }[kind]
    assert found() == list(range(1, 31))
    assert json.loads(done.stdout)
