"""The tables of the catalogue, one script per version.

A version that was released is never edited: add the next one.
"""

from __future__ import annotations

from veille.adapters.stores.sqlite.catalog.accounts import ACCOUNTS_SCHEMA
from veille.adapters.stores.sqlite.catalog.audit_log import AUDIT_SCHEMA
from veille.adapters.stores.sqlite.catalog.hosts import HOSTS_SCHEMA
from veille.adapters.stores.sqlite.catalog.login_attempts import GATE_SCHEMA
from veille.adapters.stores.sqlite.catalog.members import MEMBERS_SCHEMA
from veille.adapters.stores.sqlite.catalog.offers import OFFERS_SCHEMA
from veille.adapters.stores.sqlite.catalog.schedules import SCHEDULES_SCHEMA
from veille.adapters.stores.sqlite.catalog.sweeps import SWEEPS_SCHEMA

CATALOG = (
    """
    CREATE TABLE dossiers (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        maker TEXT NOT NULL DEFAULT '',         -- the user who made it; empty: the owner of the data folder
        created_at INTEGER NOT NULL,
        next_due_at INTEGER NOT NULL DEFAULT 0, -- a hint, never later than the truth by more than HINT_CAP
        day INTEGER NOT NULL DEFAULT 0,         -- days since 1970, and the requests of that day
        spent INTEGER NOT NULL DEFAULT 0,
        UNIQUE (maker, name)
    ) WITHOUT ROWID;
    CREATE INDEX dossiers_due ON dossiers (next_due_at);
    CREATE TABLE host_leases (
        host TEXT PRIMARY KEY,
        owner TEXT NOT NULL,
        until INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE duties (
        name TEXT PRIMARY KEY,
        due_at INTEGER NOT NULL
    ) WITHOUT ROWID;
    """
    + HOSTS_SCHEMA
    + ACCOUNTS_SCHEMA
    + MEMBERS_SCHEMA
    + GATE_SCHEMA
    + AUDIT_SCHEMA
    + SCHEDULES_SCHEMA
    + OFFERS_SCHEMA
    + SWEEPS_SCHEMA,
)
