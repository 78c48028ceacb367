"""Copies the rows of one database to another, in steps that survive a kill, and compares both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from veille.core.archive.portable import RowDigest, digest
from veille.failpoints import failpoint

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from veille.adapters.stores.database import Row
    from veille.adapters.stores.transfer.tables import SharedTable

#: A step is one transaction of so many rows, or about so many bytes.
STEP_ROWS, STEP_BYTES = 2000, 8 * 1024 * 1024


class RowReader(Protocol):
    """The rows of one dossier, or of the catalog, as they were at one moment."""

    def rows(self, table: SharedTable, after: Row = ()) -> Iterator[Row]:
        """All rows behind this key, in the order of the key."""

    def numbers(self) -> Mapping[str, int]:
        """By table, the last number that was given to a row, which may be deleted."""


class OriginRows(RowReader, Protocol):
    """What is moved from."""

    def files(self) -> set[str]:
        """Of a dossier: the names of the files outside the store that its rows need."""


class RowWriter(RowReader, Protocol):
    """A dossier, or the catalog, that is filled."""

    def last(self, table: SharedTable) -> Row:
        """The key of its last row; empty if it has none."""

    def add(self, table: SharedTable, rows: Sequence[Row]) -> None:
        """Add these rows, in one transaction; texts are indexed in it. What follows from rows is in rows of its own."""

    def finish(self, numbers: Mapping[str, int]) -> None:
        """Give no number again that was given before."""


def fill(target: RowWriter, source: RowReader, tables: Iterable[SharedTable]) -> None:
    """Copy all rows; one that was killed goes on behind the last row it wrote."""
    for table in tables:
        for step in _steps(source.rows(table, target.last(table))):
            target.add(table, step)
            failpoint("during_move")
    target.finish(source.numbers())


def digests(reader: RowReader, tables: Iterable[SharedTable]) -> dict[str, RowDigest]:
    """What is in each table."""
    return {table.name: digest(reader.rows(table)) for table in tables}


def _steps(rows: Iterator[Row]) -> Iterator[list[Row]]:
    step: list[Row] = []
    size = 0
    for row in rows:
        step.append(row)
        size += sum(len(one) for one in row if isinstance(one, str | bytes))
        if len(step) >= STEP_ROWS or size >= STEP_BYTES:
            yield step
            step, size = [], 0
    if step:
        yield step
