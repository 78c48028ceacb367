"""What the index needs of the database of its dossier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from veille.adapters.stores.database import Bindings, Row


class WordRows(Protocol):
    """The database of a dossier, with what only PostgreSQL has."""

    @property
    def is_writing(self) -> bool:
        """Whether this thread has a transaction that writes."""

    def execute(self, sql: str, bindings: Bindings = ()) -> list[Row]:
        """Run one statement and return all its rows."""

    def value(self, sql: str, bindings: Bindings = ()) -> Any:
        """The first column of the first row, or None."""

    def together(self, statements: Sequence[tuple[str, Bindings]]) -> list[list[Row]]:
        """Run statements that read, of which none needs the rows of another."""

    def send(self, text: str, bindings: Sequence[Any]) -> Any:
        """Run a statement of PostgreSQL in the transaction under way; nobody waits for it."""

    def reading(self) -> AbstractContextManager[None]:
        """Everything that is read in the block is of one moment."""

    def beside(self) -> AbstractContextManager[None]:
        """A transaction beside the writers of the dossier."""

    def take_turn(self) -> None:
        """From here on, the transaction is the only one that writes to the dossier."""
