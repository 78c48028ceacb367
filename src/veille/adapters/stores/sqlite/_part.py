"""Base class of the parts of the store, and the mapping of columns to the fields of a value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from veille.adapters.stores.database import Bindings, Database, Row

Value = TypeVar("Value")

#: Larger than any stored value.
END = 2**62


class Part:
    """A part of the store: some tables of one database."""

    def __init__(self, db: Database, dossier_id: str = "") -> None:
        self._db = db
        self._dossier_id = dossier_id

    def _all(self, columns: Columns[Value], rest: str, bindings: Bindings = ()) -> list[Value]:
        """The values of `SELECT <columns> <rest>`."""
        return list(map(columns, self._db.execute(f"SELECT {columns} {rest}", bindings)))

    def _first(self, columns: Columns[Value], rest: str, bindings: Bindings = ()) -> Value | None:
        """The first of them; None if there is none."""
        return next(iter(self._all(columns, rest, bindings)), None)


class Columns(Generic[Value]):
    """A list of columns for SELECT, which also makes a value from a row.

    A column fills the field of its name: the word after AS, or after the last dot. Fields that are stored in another
    form are converted: `Columns(Run, "id, counts", counts=json.loads)`. Rows may have further columns at their end.
    """

    def __init__(self, kind: Callable[..., Value], columns: str, /, **converted: Callable[[Any], Any]) -> None:
        self._columns = columns
        self._names = tuple(part.split()[-1].rpartition(".")[2] for part in _parts(columns))
        # Compiled because rows are many: half the time of building a dictionary of fields.
        places = (f"{name}(row[{at}])" if name in converted else f"row[{at}]" for at, name in enumerate(self._names))
        fields = ", ".join(map("=".join, zip(self._names, places, strict=True)))
        self._make: Callable[..., Value] = eval(  # noqa: S307 - made of our own names
            f"lambda row, more: kind_({fields}, **more)", {"kind_": kind, **converted}
        )

    def __str__(self) -> str:
        return self._columns

    @property
    def places(self) -> str:
        """The named placeholders for an INSERT into these columns."""
        return ", ".join(f":{name}" for name in self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __call__(self, row: Row, **more: object) -> Value:
        """The value; `more` are fields that are not in the row."""
        return self._make(row, more)

    def fields(self, row: Row) -> dict[str, Any]:
        """The row as a dictionary, unconverted."""
        return dict(zip(self._names, row, strict=False))


def _parts(columns: str) -> Iterator[str]:
    """The columns, split at commas outside brackets."""
    depth = start = 0
    for at, sign in enumerate(columns):
        depth += (sign == "(") - (sign == ")")
        if sign == "," and not depth:
            yield columns[start:at]
            start = at + 1
    yield columns[start:]
