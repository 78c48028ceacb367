"""What the rows of a store must be after a kill, beyond what the ports tell."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw

import veille
from inside_sqlite import catalog_of
from veille.adapters.stores.database import Database
from veille.adapters.stores.sqlite._db import SqliteDatabase
from veille.adapters.stores.sqlite.dossier import SqliteDossier
from veille.ports import DossierStore

#: Transactions of others that are under way on PostgreSQL.
_UNDER_WAY = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
    "AND xact_start IS NOT NULL"
)

#: All that a commit writes.
_WRITTEN = {
    "revisions": "SELECT * FROM revisions",
    "documents": "SELECT * FROM documents",
    "outbox": "SELECT * FROM outbox",
    "requests": "SELECT * FROM requests",
    "run_items": "SELECT * FROM run_items",
    "runs": "SELECT id FROM runs",
}


def _database(store: DossierStore) -> Database:
    assert isinstance(store, SqliteDossier), "both stores are built of the same parts"
    return store.db


def _soundness(db: Database) -> str:
    """What the check of a file finds; that of a database is its operator's."""
    return str(db.value("PRAGMA integrity_check")) if isinstance(db, SqliteDatabase) else "ok"


def tables(app: veille.App, dossier_id: str) -> list[str]:
    """The tables of a dossier, which is sound."""
    with app.dossiers.open(dossier_id) as store:
        assert _database(store).value("PRAGMA integrity_check") == "ok"
        return [
            row[0] for row in _database(store).execute("SELECT sql FROM sqlite_master WHERE sql > '' ORDER BY name")
        ]


def host_leases(app: veille.App) -> int:
    """How many hosts somebody has, or had until their lease ran out."""
    return int(catalog_of(app).db.value("SELECT count(*) FROM host_leases"))


def catalog_breaches(app: veille.App) -> Iterator[str]:
    """What is wrong with what all dossiers share."""
    db = catalog_of(app).db
    if (result := _soundness(db)) != "ok":
        yield f"catalog: integrity_check: {result}"
    for host, owner, until in db.execute("SELECT host, owner, until FROM host_leases WHERE until <= ?", (app.clock(),)):
        yield f"catalog: stale lease of host {host} by {owner}, run out at {until}"


def dossier_breaches(store: DossierStore) -> Iterator[str]:
    """What is wrong with the rows of a dossier at rest: lines of no run, untold revisions, leases and locks left."""
    db = _database(store)
    if orphans := db.value("SELECT count(*) FROM run_items WHERE run_id NOT IN (SELECT id FROM runs)"):
        yield f"{orphans} report lines without a run"
    untold = "SELECT id, document_id FROM revisions WHERE id NOT IN (SELECT revision_id FROM outbox)"
    for revision, document in db.execute(untold):
        yield f"revision {revision} of {document} was never told of"
    leased = db.execute("SELECT url, lease_owner FROM requests WHERE lease_owner IS NOT NULL OR lease_until <> 0")
    for url, owner in leased:
        yield f"stale lease of {url} by {owner}"
    stuck = db.execute("SELECT url FROM requests WHERE due_at IS NULL AND purpose = 'root' OR attempts > 0")
    for (url,) in stuck:
        yield f"stuck: {url} has no next turn or failed"
    for sink, owner in db.execute("SELECT sink, owner FROM cursors WHERE owner IS NOT NULL"):
        yield f"stale lock of sink {sink} by {owner}"


def revisions(store: DossierStore) -> set[tuple[str, int, str]]:
    """Document, number and hash of every revision."""
    return set(_database(store).execute("SELECT document_id, n, content_hash FROM revisions"))


def written(store: DossierStore) -> dict[str, Any]:
    """All rows of the tables that a commit writes to."""
    return {table: _database(store).execute(sql) for table, sql in _WRITTEN.items()}


def is_locked(app: veille.App, store: DossierStore) -> bool:
    """Whether somebody is in the middle of a write, to the dossier or to what all share."""
    db = _database(store)
    if not isinstance(db, SqliteDatabase):
        return bool(db.value(_UNDER_WAY))
    return any(map(_is_locked, (db.path, catalog_of(app).db.path)))


def _is_locked(path: Path) -> bool:
    connection = apsw.Connection(str(path))
    try:
        connection.execute("BEGIN IMMEDIATE")
    except apsw.BusyError:
        return True
    finally:
        connection.close()
    return False
