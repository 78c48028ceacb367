"""Check that a file from outside is a database made by this program, without running anything in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

from veille.adapters.stores.migrations import fingerprint
from veille.adapters.stores.sqlite import _schema
from veille.adapters.stores.sqlite._migrating import APPLICATION_ID, with_origin
from veille.core.archive.backups import newer
from veille.errors import ReadError
from veille.version import VERSION

if TYPE_CHECKING:
    from veille.adapters.stores.database import Row

#: Nothing in the file's schema is run, and nothing can change that schema.
_GUARDS = {
    apsw.SQLITE_DBCONFIG_DEFENSIVE: 1,
    apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA: 0,
    apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER: 0,
    apsw.SQLITE_DBCONFIG_ENABLE_VIEW: 0,
}
_SCHEMA = "SELECT type, name, tbl_name, sql FROM sqlite_master"


def inspect_catalog(path: Path, name: str) -> set[str]:
    """The ids of the dossiers in a catalog; raises ReadError if it is not one of ours or is damaged."""
    with _guarded(path, name) as connection:
        _inspect(connection, _schema.CATALOG, name)
        return {str(row[0]) for row in connection.execute("SELECT id FROM dossiers")}


def inspect_dossier(path: Path, name: str) -> None:
    """Raise ReadError if this is not a dossier of ours or is damaged."""
    with _guarded(path, name) as connection:
        _inspect(connection, _schema.DOSSIER, name)


@contextmanager
def _guarded(path: Path, name: str) -> Iterator[apsw.Connection]:
    try:
        with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
            for guard, value in _GUARDS.items():
                connection.config(guard, value)
            connection.execute("PRAGMA cell_size_check=ON")
            yield connection
    except apsw.Error as error:
        raise _damaged(name, str(error)) from error


def _inspect(connection: apsw.Connection, migrations: tuple[str, ...], name: str) -> None:
    version = _value(connection, "PRAGMA user_version")
    if _value(connection, "PRAGMA application_id") != APPLICATION_ID or version < 1:
        raise _foreign(name)
    if version > len(migrations):
        raise newer()
    if not _is_ours(connection):
        raise ReadError(
            f"{name} was written by another veille than this ({VERSION}), which does not know its tables: restore "
            "it with that version. Nothing was restored.",
            code="backup.other",
        )
    if Counter(connection.execute(_SCHEMA)) != _expected(migrations[:version]):
        raise _foreign(name)
    if (result := _value(connection, "PRAGMA quick_check(1)")) != "ok":
        raise _damaged(name, result)
    for table, *_ in connection.execute("PRAGMA foreign_key_check"):
        raise _damaged(name, f"a row of {table} refers to nothing")


def _is_ours(connection: apsw.Connection) -> bool:
    """Whether its fingerprint is of a schema of this program; the caller compares the schema itself next."""
    is_told = _value(connection, "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'origin'") == 1
    rows = list(connection.execute("SELECT * FROM origin")) if is_told else []
    known = (fingerprint(all_[:n]) for all_ in (_schema.CATALOG, _schema.DOSSIER) for n in range(1, len(all_) + 1))
    return len(rows) == 1 and rows[0][0] in set(known)


def _value(connection: apsw.Connection, sql: str) -> Any:
    return next(iter(connection.execute(sql)))[0]


@cache
def _expected(migrations: tuple[str, ...]) -> Counter[Row]:
    """The schema that this program makes; the file's tables, indexes, triggers and views must match it exactly."""
    with closing(apsw.Connection(":memory:")) as fresh:
        for script in with_origin(migrations):
            fresh.execute(script)
        return Counter(fresh.execute(_SCHEMA))


def _foreign(name: str) -> ReadError:
    return ReadError(
        f"{name} does not have the tables, indexes and triggers that veille makes: somebody changed it. Nothing was "
        "restored; use a backup you made yourself.",
        code="backup.foreign",
    )


def _damaged(name: str, why: str) -> ReadError:
    return ReadError(f"{name} is damaged ({why}). Nothing was restored; use another backup.", code="backup.damaged")
