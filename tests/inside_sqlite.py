"""The inside of the SQLite store, for tests that put it into a state which no port leads to."""

from __future__ import annotations

import veille
from veille.adapters.stores.database import Database
from veille.adapters.stores.sqlite._db import SqliteDatabase
from veille.adapters.stores.sqlite.catalog.catalog import Catalog
from veille.adapters.stores.sqlite.dossier import SqliteDossier
from veille.adapters.stores.sqlite.queue import SqliteQueue
from veille.ports import DossierStore


def catalog_of(app: veille.App) -> Catalog:
    """What all dossiers share."""
    assert isinstance(app.queue, SqliteQueue)
    return app.queue._catalog


def rows_of(store: DossierStore) -> Database:
    """The rows of a dossier; those on PostgreSQL are asked for in the same words."""
    assert isinstance(store, SqliteDossier)
    return store.db


def database_of(store: DossierStore) -> SqliteDatabase:
    """The database of a dossier."""
    assert isinstance(store, SqliteDossier)
    assert isinstance(store.db, SqliteDatabase)
    return store.db
