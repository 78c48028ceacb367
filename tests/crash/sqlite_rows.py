"""What the files of the SQLite store must hold after a kill, beyond what the ports tell."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw

import veille
from inside_sqlite import catalog_of, database_of
from veille.ports import DossierStore

#: All that a commit writes.
_WRITTEN = {
    "revisions": "SELECT * FROM revisions",
    "documents": "SELECT * FROM documents",
    "outbox": "SELECT * FROM outbox",
    "requests": "SELECT * FROM requests",
    "run_items": "SELECT * FROM run_items",
    "runs": "SELECT id FROM runs",
}


def tables(app: veille.App, dossier_id: str) -> list[str]:
    """The tables of a dossier, which is sound."""
    with app.dossiers.open(dossier_id) as store:
        assert database_of(store).value("PRAGMA integrity_check") == "ok"
        return [
            row[0] for row in database_of(store).execute("SELECT sql FROM sqlite_master WHERE sql > '' ORDER BY name")
        ]


def host_leases(app: veille.App) -> int:
    """How many hosts somebody has, or had until their lease ran out."""
    return int(catalog_of(app).db.value("SELECT count(*) FROM host_leases"))


def catalog_breaches(app: veille.App) -> Iterator[str]:
    """What is wrong with what all dossiers share."""
    db = catalog_of(app).db
    if (result := db.value("PRAGMA integrity_check")) != "ok":
        yield f"catalog: integrity_check: {result}"
    for host, owner, until in db.execute("SELECT host, owner, until FROM host_leases WHERE until <= ?", (app.clock(),)):
        yield f"catalog: stale lease of host {host} by {owner}, run out at {until}"


def dossier_breaches(store: DossierStore) -> Iterator[str]:
    """What is wrong with the rows of a dossier at rest: lines of no run, untold revisions, leases and locks left."""
    db = database_of(store)
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
    return set(database_of(store).execute("SELECT document_id, n, content_hash FROM revisions"))


def written(store: DossierStore) -> dict[str, Any]:
    """All rows of the tables that a commit writes to."""
    return {table: database_of(store).execute(sql) for table, sql in _WRITTEN.items()}


def is_locked(app: veille.App, store: DossierStore) -> bool:
    """Whether somebody is in the middle of a write, to the dossier or to what all share."""
    return any(map(_is_locked, (database_of(store).path, catalog_of(app).db.path)))


def _is_locked(path: Path) -> bool:
    connection = apsw.Connection(str(path))
    try:
        connection.execute("BEGIN IMMEDIATE")
    except apsw.BusyError:
        return True
    finally:
        connection.close()
    return False
