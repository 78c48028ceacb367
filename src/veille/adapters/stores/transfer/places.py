"""Where a store is: a data folder with SQLite files, or a PostgreSQL database. Each can be moved from, and moved to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import suppress
from typing import TYPE_CHECKING

from veille.adapters.files import try_lock
from veille.adapters.stores.transfer.tables import catalog_tables
from veille.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from veille.adapters.stores.transfer.copying import OriginRows, RowReader, RowWriter


class StorePlace(ABC):
    """One store as rows. The catalog is the dossier without an id."""

    #: What is moved is known by it: the folder or the database.
    name: str

    @abstractmethod
    def check_unused(self) -> None:
        """ConfigError `move.in_use` if a program works on it: what it writes later would be missing elsewhere."""

    @abstractmethod
    def reading(self, dossier_id: str = "") -> AbstractContextManager[OriginRows]:
        """The rows of a dossier; those of all dossiers are of the same moment where the store can do that."""

    @abstractmethod
    def check(self, source: str) -> bool:
        """Whether a move from `source` was begun; ConfigError `move.not_empty` if there is anything else here."""

    @abstractmethod
    def beginning(self, source: str) -> AbstractContextManager[bool]:
        """A move to here from `source`, alone; whether it goes on with one that was killed."""

    @abstractmethod
    def done(self, dossier_id: str) -> str:
        """The digest under which a dossier was marked as moved; empty if it was not."""

    @abstractmethod
    def mark(self, dossier_id: str, digest: str) -> None:
        """The dossier is moved, and equal."""

    @abstractmethod
    def clear(self, dossier_id: str) -> None:
        """Take away what was moved of a dossier."""

    @abstractmethod
    def filling(self, dossier_id: str) -> AbstractContextManager[RowWriter]:
        """A dossier to be filled; nobody sees it yet."""

    @abstractmethod
    def concluding(self) -> AbstractContextManager[RowWriter]:
        """The catalog to be filled. At the end of the block everything is there at once, and the move is over."""

    @abstractmethod
    def note_key(self, key_id: str) -> None:
        """The secrets that came are sealed with this key: no machine is to make another. Empty: there is none."""


def not_empty(where: str, why: str = "") -> ConfigError:
    """The error for a target that must not be written to."""
    found = why or "holds data already"
    ended = "If a move to it was killed in its last moment, it is complete: nothing can be seen there before."
    message = f"{where} {found}, which a move never touches: name an empty folder or database with --to."
    return ConfigError(message if why else f"{message} {ended}", code="move.not_empty")


def check_folder_unused(folder: Path) -> None:
    """ConfigError `move.in_use` if a program works on this data folder."""
    for path in (folder / "present").glob("*.lock"):
        # Whoever ended meanwhile took it away.
        with suppress(FileNotFoundError), path.open("rb") as file:
            if not try_lock(file.fileno()):
                raise in_use(str(folder))


def in_use(where: str, why: str = "") -> ConfigError:
    """The error for a store that a program works on."""
    return ConfigError(
        f"A program of veille works on {where}{why}: stop it (veille serve, veille work), and move then.",
        code="move.in_use",
    )


def busy(where: str) -> ConfigError:
    """The error for a target that another move is writing to."""
    return ConfigError(f"Another move is writing to {where}: wait for it.", code="move.busy")


def dossier_ids(catalog: RowReader) -> Iterator[str]:
    """The dossiers that a catalog names."""
    table = next(one for one in catalog_tables() if one.name == "dossiers")
    at = table.columns.index("id")
    for row in catalog.rows(table):
        yield str(row[at])
