"""Prepare copies of our files for a backup: remove leases, sessions, links and failed logins.

A restored data folder is as if all processes had been killed at the moment of the copy and their leases released.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw

from veille.errors import StoreError

#: Sessions and links give access to the old service; leases and failed logins concern its processes and users.
_CATALOG = (
    "DELETE FROM sessions",
    "DELETE FROM links",
    "DELETE FROM login_tries",
    "DELETE FROM host_leases",
    "UPDATE dossiers SET next_due_at = 0",
    # Also removes the deleted rows from the file itself.
    "VACUUM",
)
_DOSSIER = (
    "UPDATE requests SET lease_owner = NULL, lease_until = 0, lease_epoch = lease_epoch + 1 WHERE lease_owner > ''",
    "UPDATE cursors SET owner = NULL, until = 0 WHERE owner IS NOT NULL",
)


_FILES = (
    "SELECT file FROM archived_revisions UNION SELECT segment FROM raw_bodies WHERE segment IS NOT NULL "
    "UNION SELECT segment FROM pictures WHERE segment IS NOT NULL ORDER BY 1"
)


def copied_dossiers(copy: Path) -> dict[str, str]:
    """The names of the dossiers in a copy of the catalog, by id."""
    with closing(apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        return {row[0]: row[1] for row in connection.execute("SELECT id, name FROM dossiers ORDER BY id")}


def archive_files(copy: Path) -> list[str]:
    """The names of the files outside it that a copy of a dossier needs: archive files and segments."""
    with closing(apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        return [row[0] for row in connection.execute(_FILES)]


def settle_catalog(copy: Path, without: Iterable[str]) -> None:
    """Prepare a copy of the catalog, and remove these dossiers from it."""
    with _opened(copy) as connection:
        connection.executemany("DELETE FROM dossiers WHERE id = ?", [(one,) for one in without])
        for statement in _CATALOG:
            connection.execute(statement)


def settle_dossier(copy: Path) -> None:
    """Prepare a copy of a dossier."""
    with _opened(copy) as connection:
        for statement in _DOSSIER:
            connection.execute(statement)


@contextmanager
def _opened(copy: Path) -> Iterator[apsw.Connection]:
    try:
        with closing(apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READWRITE)) as connection:
            # No durable journal: after any failure the copy is discarded.
            for pragma in ("journal_mode=MEMORY", "synchronous=OFF", "foreign_keys=ON", "trusted_schema=OFF"):
                connection.execute(f"PRAGMA {pragma}")
            yield connection
    except apsw.FullError as error:
        raise StoreError(f"The disk is full: {copy} could not grow.", code="store.full") from error
