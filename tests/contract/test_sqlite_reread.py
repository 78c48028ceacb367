"""What reading kept answers again asks the store."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import veille
from bulk.library import library
from veille.adapters.stores.sqlite._db import SqliteDatabase
from veille.services.reading.reread import RereadWish


def test_a_batch_looks_up_what_it_writes_however_many_answers_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, Any]] = []
    run, many = SqliteDatabase.execute, SqliteDatabase.many

    def noted(db: SqliteDatabase, sql: str, bindings: Any = ()) -> Any:
        asked.append((sql, bindings))
        return run(db, sql, bindings)

    def each_noted(db: SqliteDatabase, sql: str, rows: Iterable[Any]) -> None:
        rows = list(rows)
        asked.extend((sql, row) for row in rows[:1])
        many(db, sql, rows)

    with veille.open_app(data=library(tmp_path, 100)) as app:
        dossier_id = app.dossier("news").id
        with monkeypatch.context() as patched:
            patched.setattr(SqliteDatabase, "execute", noted)
            patched.setattr(SqliteDatabase, "many", each_noted)
            app.rereading().reread(dossier_id, RereadWish(until="z"))
        with app.dossiers.open(dossier_id) as store:
            db: SqliteDatabase = store.db  # type: ignore[attr-defined]
            plans = [
                (step[3], sql)
                for sql, bindings in asked
                if re.search("documents|raw_answers", sql)
                for step in db.execute(f"EXPLAIN QUERY PLAN {sql}", bindings)
            ]
    assert plans
    assert not [
        one for one in plans if re.match("SCAN (documents|raw_answers|requests|revisions)$|USE TEMP B-TREE", one[0])
    ]
