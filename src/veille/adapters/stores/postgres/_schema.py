"""The schema: one folder of scripts per version. A released version is never edited; the next one is another folder.

No copy is made before an upgrade: that is `pg_dump`'s part (docs/howto/upgrade.md).
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import TYPE_CHECKING, Any

import psycopg

from veille.adapters.stores.migrations import fingerprint, not_upgraded, number_of, scripts
from veille.adapters.stores.postgres._failures import told
from veille.errors import StoreError
from veille.failpoints import failpoint
from veille.version import VERSION

if TYPE_CHECKING:
    Connection = psycopg.Connection[tuple[Any, ...]]

#: "veil": one program at a time makes or changes the tables.
_LOCK = 0x7665696C

#: Roles are those of the whole server. Who may make none may have been given this one; and who made it may not act as
#: it by that alone, from version 16 on.
_ROLE = """
DO $$ BEGIN
    IF to_regrole('veille_app') IS NULL THEN
        CREATE ROLE veille_app NOLOGIN;
    END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
DO $$ BEGIN
    IF NOT pg_has_role(
        'veille_app', CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END
    ) THEN
        GRANT veille_app TO CURRENT_USER;
    END IF;
END $$;
"""
_ORIGIN = "CREATE TABLE veille.origin (version bigint NOT NULL, schema text NOT NULL, veille text NOT NULL)"


@cache
def versions() -> tuple[tuple[str, ...], ...]:
    """The scripts of each version."""
    assert __package__  # noqa: S101 - a module of ours is in a package
    found = groupby(scripts(__package__).items(), key=lambda one: number_of(one[0]))
    return tuple(tuple(text for _, text in parts) for _, parts in found)


def migrate(connection: Connection) -> None:
    """Make the tables, or bring them up to date: one transaction per version, by one program at a time."""
    while not _is_current(connection):
        with connection.transaction():
            connection.execute(f"SELECT pg_advisory_xact_lock({_LOCK})")
            begun = _origin(connection)
            # Another program may have done it while this one waited.
            if _is_current(connection):
                return
            try:
                _apply(connection, begun[0] + 1 if begun else 1)
            except psycopg.Error as error:
                raise told(error) or not_upgraded("The database", error) from error


def _apply(connection: Connection, number: int) -> None:
    if number == 1:
        connection.execute(_ROLE)
    for script in versions()[number - 1]:
        connection.execute(script.encode())
        failpoint("during_migration")
    if number == 1:
        connection.execute(_ORIGIN)
    connection.execute((files(__package__) / "schema" / "seal.sql").read_bytes())
    connection.execute("DELETE FROM veille.origin")
    connection.execute("INSERT INTO veille.origin VALUES ($1, $2, $3)", (number, _fingerprint(number), VERSION))


def _fingerprint(number: int) -> str:
    """Of the tables of a version."""
    return fingerprint(tuple(script for scripts in versions()[:number] for script in scripts))


def _is_current(connection: Connection) -> bool:
    """Whether the tables are of this version; StoreError if they are of a newer or another one."""
    origin, known = _origin(connection), len(versions())
    if origin is None:
        return False
    version, schema, veille = origin
    if version > known:
        raise StoreError(
            f"The database was written by a newer veille ({veille}; its tables are of version {version}, and {VERSION} "
            f"knows {known}): upgrade veille, or name another database in `store`. Nothing was changed.",
            code="store.newer",
        )
    if schema != _fingerprint(version):
        raise StoreError(
            f"The database was written by another veille ({veille}), whose tables this one ({VERSION}) does not know: "
            "go on with that version, or name another database in `store`. Nothing was changed.",
            code="store.other",
        )
    return version == known


def _origin(connection: Connection) -> tuple[int, str, str] | None:
    """The version of the tables, their fingerprint and the program that made them; None if there are none."""
    found = connection.execute(
        "SELECT to_regclass('veille.origin') IS NOT NULL, to_regnamespace('veille') IS NOT NULL"
    ).fetchone()
    is_ours, is_taken = found or (False, False)
    if is_ours:
        row = connection.execute("SELECT version, schema, veille FROM veille.origin").fetchone()
        return (int(row[0]), str(row[1]), str(row[2])) if row else None
    if is_taken:
        raise StoreError(
            "The database has a schema called veille that is not ours: name another database in `store`.",
            code="store.foreign",
        )
    return None
