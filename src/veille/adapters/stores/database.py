"""What the parts of a store need of its database; SQLite and PostgreSQL each have one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from veille.adapters.stores.body_files import BodyFiles

Row = tuple[Any, ...]
Bindings = Sequence[Any] | dict[str, Any]


class Sizes(NamedTuple):
    """How many bytes a dossier takes: what is in use, and with what is free for reuse."""

    used: int
    file: int


class Soundness(NamedTuple):
    """What a thorough look at the data found."""

    #: "ok", or what is wrong.
    integrity: str
    #: Rows that refer to others that are not there.
    dangling: int
    #: Texts that are in all indexes of words.
    indexed: int


class Database(Protocol):
    """Runs the statements of the parts, which are written for both (docs/decisions/0036-one-sql-for-two-stores.md)."""

    #: Of a dossier.
    path: Path
    #: Whether programs of other machines use it, which have other data folders.
    is_shared: bool
    #: What of a dossier is outside the database.
    files: BodyFiles

    def execute(self, sql: str, bindings: Bindings = ()) -> list[Row]:
        """Run one statement and return all its rows."""

    def together(self, statements: Sequence[tuple[str, Bindings]]) -> list[list[Row]]:
        """Run statements that read, of which none needs the rows of another, and return the rows of each.

        Over a network they cost as much time as one.
        """

    def dated(self, statements: Sequence[tuple[str, Bindings]]) -> tuple[object, list[list[Row]]]:
        """The same, outside a transaction, with the version of before: what changes meanwhile makes another one."""

    def later(self, sql: str, bindings: Bindings = ()) -> Callable[[], list[Row]]:
        """Run one statement of the transaction under way; its rows are waited for when they are asked for."""

    def many(self, sql: str, rows: Iterable[Bindings]) -> None:
        """Run one statement for each row."""

    def value(self, sql: str, bindings: Bindings = ()) -> Any:
        """The first column of the first row, or None."""

    def column(self, sql: str, bindings: Bindings = ()) -> list[Any]:
        """The first column of all rows."""

    def columns(self, table: str) -> Sequence[str]:
        """The names of the columns of a table, which may be given when a row is inserted."""

    def changes(self) -> int:
        """How many rows the last statement of this thread changed."""

    def version(self) -> object:
        """A value that differs after every write, by any process."""

    def write(self, *, wait: bool = True) -> AbstractContextManager[Database]:
        """A write transaction; a nested one joins the outer one. Without `wait`, raises `store.busy` if one is open."""

    def write_passing(self) -> AbstractContextManager[Database]:
        """A write transaction that does not wait for the disk: for leases, hints and the like.

        It survives a killed process, but perhaps not a power cut; after a power cut no worker is left that needs it.
        A nested one joins the outer transaction.
        """

    def forgetting(self) -> AbstractContextManager[Database]:
        """A write transaction that leaves nothing of deleted rows in the file, as far as the database can do that."""

    def compact(self) -> None:
        """Take what was deleted at any time out of the file, as far as the database can do that; for small ones."""

    def after_commit(self, act: Callable[[], None]) -> None:
        """Call this after the transaction commits, and never if it fails; outside a transaction, call it at once."""

    def sizes(self) -> Sizes:
        """How many bytes the data take; in a database that others share, an estimate."""

    def soundness(self) -> Soundness:
        """Look through all data and indexes."""

    def index_bytes(self) -> int:
        """How many bytes the index of the words takes; reads all of it."""

    def index(self, words: Sequence[Row], forms: Sequence[Row]) -> None:
        """Add texts to the full-text indexes: the row of the document, its title, its text."""

    def close(self) -> None:
        """Close what is not in use; the rest follows when it is given back."""
