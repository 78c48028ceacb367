"""How a SQLite file gets its tables, and those of a newer version: one transaction, after a copy."""

from __future__ import annotations

import os
import shutil
from contextlib import closing
from typing import TYPE_CHECKING, Protocol

import apsw

from veille.adapters.private import private_file
from veille.adapters.stores.database import Database
from veille.adapters.stores.migrations import fingerprint, not_upgraded
from veille.errors import StoreError
from veille.failpoints import failpoint
from veille.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

#: "veil": distinguishes our files from other SQLite files.
APPLICATION_ID = 0x7665696C


class _File(Database, Protocol):
    """A SQLite file, as far as it is changed here."""

    def without_references(self) -> AbstractContextManager[None]: ...


_ORIGIN = """
    CREATE TABLE origin (schema TEXT NOT NULL, veille TEXT NOT NULL);
"""


def version_of(db: _File) -> int:
    """How many scripts a file has had; StoreError if it is not one of ours."""
    version = int(db.value("PRAGMA user_version"))
    # Tables before id: another process may create both, in one transaction, between these two statements.
    filled = db.value("SELECT count(*) FROM sqlite_master") > 0
    if filled and db.value("PRAGMA application_id") != APPLICATION_ID:
        raise StoreError(f"{db.path} is a database, but not one of veille's: move it away.", code="store.foreign")
    return version


def migrate(db: _File, migrations: Sequence[str]) -> None:
    """Run the missing migrations, all in one transaction: a kill at any point leaves the file as it was.

    Before a file with data in it is changed, a copy is put beside it (`copies_of`). It has the tables that the program
    of before knows, also if this one was killed on its way over several versions.
    """
    known = len(migrations)
    if _begun(db, migrations) == known:
        return
    # References are checked at the end: a table that others refer to can be made anew.
    with db.without_references(), db.write():
        # Another process may have done it while this one waited.
        begun = _begun(db, migrations)
        if begun == known:
            return
        if begun:
            _keep_copy(db, begun)
            failpoint("during_migration")
        _apply(db, migrations, begun)


def _apply(db: _File, migrations: Sequence[str], begun: int) -> None:
    try:
        for script in with_origin(migrations)[begun:]:
            for statement in statements(script):
                db.execute(statement)
                failpoint("during_migration")
    except apsw.Error as error:
        raise not_upgraded(db.path, error) from error
    if begun and (lost := db.value("PRAGMA foreign_key_check")):
        raise not_upgraded(db.path, f"a row of {lost} refers to nothing")
    db.execute("DELETE FROM origin")
    db.execute("INSERT INTO origin VALUES (?, ?)", (fingerprint(tuple(migrations)), VERSION))
    db.execute(f"PRAGMA application_id={APPLICATION_ID}")
    db.execute(f"PRAGMA user_version={len(migrations)}")


def copies_of(path: Path) -> list[Path]:
    """The copies that upgrades left beside a file: `catalog.db.schema-1` has the tables of the first version."""
    return sorted(path.parent.glob(f"{path.name}.schema-*"))


def _keep_copy(db: _File, version: int) -> None:
    """Copy the file as it is; the transaction that is open keeps others from writing. Older copies go."""
    needed, free = 2 * db.sizes().used, shutil.disk_usage(db.path.parent).free
    if free < needed:
        raise StoreError(
            f"Before {db.path} is upgraded a copy of it is made beside it, and there is too little room: free "
            f"{(needed - free >> 20) + 1} MB. Nothing was changed.",
            code="store.full",
        )
    copy = db.path.with_name(f"{db.path.name}.schema-{version}")
    draft = copy.with_name(f"{copy.name}.draft")
    draft.unlink(missing_ok=True)
    private_file(draft)
    with closing(apsw.Connection(str(db.path), flags=apsw.SQLITE_OPEN_READONLY)) as reader:
        reader.execute("VACUUM INTO ?", (str(draft),))
    with draft.open("rb") as written:
        os.fsync(written.fileno())
    draft.replace(copy)
    for older in copies_of(db.path):
        if older != copy:
            older.unlink(missing_ok=True)


def _newer(db: _File, version: int, known: int) -> StoreError:
    copy = db.path.with_name(f"{db.path.name}.schema-{known}")
    back = f", go back to {copy.name} (docs/howto/upgrade.md)" if copy.exists() else ""
    return StoreError(
        f"{db.path} was written by a newer veille ({_origin(db) or 'which one is not known'}; its tables are of "
        f"version {version}, and {VERSION} knows {known}): upgrade veille{back}, or name another data folder with "
        "--data.",
        code="store.newer",
    )


def _begun(db: _File, migrations: Sequence[str]) -> int:
    """How many of the scripts a file has had; StoreError if it has had others.

    Fingerprints are compared: the version number does not show edits that were made before a release.
    """
    begun = version_of(db)
    if begun > len(migrations):
        raise _newer(db, begun, len(migrations))
    if not begun or _origin(db, "schema") == fingerprint(tuple(migrations[:begun])):
        return begun
    if version_of(db) != begun:
        # Between the two questions another process has run the next script: ask again.
        return _begun(db, migrations)
    raise StoreError(
        f"{db.path} was written by another veille ({_origin(db) or 'before the first release'}), whose tables "
        f"this one ({VERSION}) does not know: go on with that version, or name another data folder with --data. "
        "Nothing was changed.",
        code="store.other",
    )


def _origin(db: _File, column: str = "veille") -> str:
    """The fingerprint of the tables (`schema`), or the version of the program that made them (`veille`)."""
    if not db.value("SELECT 1 FROM sqlite_master WHERE name = 'origin'"):
        return ""
    return str(db.value(f"SELECT {column} FROM origin") or "")


def with_origin(migrations: Sequence[str]) -> tuple[str, ...]:
    """The scripts, plus the table `origin`: the fingerprint of the schema and the version of the program."""
    return (_ORIGIN + migrations[0], *migrations[1:])


def statements(script: str) -> Iterator[str]:
    """The statements of a script. A trigger contains semicolons, so a statement may span several."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if statement.strip() and apsw.complete(statement):
            yield statement
            statement = ""
