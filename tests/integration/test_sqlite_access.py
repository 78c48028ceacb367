"""How often an access asks the catalogue of the SQLite store."""

from __future__ import annotations

from pathlib import Path

import pytest

from inside_sqlite import catalog_of
from people import people
from veille.adapters.stores.sqlite._db import SqliteDatabase


@pytest.mark.parametrize("count", [1, 30])
def test_a_page_of_many_dossiers_asks_the_catalogue_as_often_as_a_page_of_one(tmp_path: Path, count: int) -> None:
    sent: list[str] = []

    def note(_: object, sql: str, __: object) -> bool:
        sent.append(sql)
        return True

    with people(tmp_path) as crowd:
        ada = crowd.enter("ada")
        made = {ada.create(f"plans {number}").id for number in range(count)}
        brief = crowd.accounts.by_session(crowd.cookies["ada"]).briefly()
        database = catalog_of(crowd.app).db
        assert isinstance(database, SqliteDatabase)
        # One thread has one connection, which is idle between two statements.
        (connection,) = database._idle
        connection.exec_trace = note
        found = set()
        for dossier in brief.dossiers():
            with brief.open(dossier.id) as store:
                found.add(store.id)
        connection.exec_trace = None
    assert found == made
    assert len(sent) == 2, "their roles, and the dossiers"
