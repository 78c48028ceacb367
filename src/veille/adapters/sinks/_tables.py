"""The two tables of a database that a sink keeps: every change, and every document as it is now.

Plain SQL through SQLAlchemy, the same for every database: what is there is asked for first, the rest is inserted. One
delivery is one transaction, so a repeat after a crash finds all of it or nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from veille.core.models import Change
from veille.core.outgoing.export_record import FIELDS, MOMENTS, Record, change_record
from veille.core.records import Parcel
from veille.errors import ConfigError, SinkError

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine, Table

NEEDS_EXTRA = "A table in a database needs a library that is not installed: `pip install 'veille[sql]'`."
#: Fields of a change that say nothing about the document itself.
_OF_CHANGE = frozenset({"id", "change", "changed_metadata"})
#: Fields whose values are short: MySQL and others index no text without a length.
_KEYS = frozenset({"id", "dossier_id", "document_id"})
_KEY_LENGTH = 64
#: Ids that are asked for in one statement; some databases take no more than a thousand.
_AT_ONCE = 500


class Tables:
    """The tables `<prefix>changes` and `<prefix>documents`; both have the fields of the exchange format."""

    def __init__(self, engine: Engine, prefix: str, schema: str | None) -> None:
        from sqlalchemy import MetaData  # noqa: PLC0415 - an extra

        self._engine = engine
        self._known = MetaData(schema=schema)
        self._changes = _table(self._known, f"{prefix}changes", [name for name in FIELDS if name != "id"], ("id",))
        self._documents = _table(
            self._known,
            f"{prefix}documents",
            [name for name in FIELDS if name not in _OF_CHANGE | {"document_id"}],
            ("document_id",),
            removed_at=str,
        )
        self._are_made = False

    def make(self) -> None:
        """Create what is missing; SinkError `sink.sql_columns` if a table is there without a column that it needs."""
        if self._are_made:
            return
        from sqlalchemy import false, literal_column, select  # noqa: PLC0415 - an extra

        self._known.create_all(self._engine)
        for table in (self._changes, self._documents):
            with self._engine.connect() as connection:
                # Every database answers this; not all of them describe their tables in the same way.
                there = set(connection.execute(select(literal_column("*")).select_from(table).where(false())).keys())
            if missing := [column.name for column in table.columns if column.name not in there]:
                raise SinkError(
                    f"The table {table.name} has no column {', '.join(missing)}; add it, or set another `prefix`, then "
                    "`veille deliver --now`.",
                    code="sink.sql_columns",
                )
        self._are_made = True

    def doubt(self) -> None:
        """Look again before the next delivery: somebody may have dropped a table."""
        self._are_made = False

    def put(self, parcels: Sequence[Parcel]) -> int:
        """Store these changes and what they make of their documents; returns how many were not there yet."""
        rows = {row["id"]: row for row in map(_row, parcels)}
        with self._engine.begin() as connection:
            known = _there(connection, self._changes, "id", rows)
            fresh = [row for row in rows.values() if row["id"] not in known]
            if fresh:
                connection.execute(self._changes.insert(), fresh)
            self._settle(connection, rows.values())
        return len(fresh)

    def forget(self, dossier_id: str) -> None:
        """Delete the rows of a dossier."""
        with self._engine.begin() as connection:
            for table in (self._changes, self._documents):
                connection.execute(table.delete().where(table.c.dossier_id == dossier_id))

    def _settle(self, connection: Connection, rows: Any) -> None:
        """Bring the documents up to date: the last change of each counts, unless a later one was stored before."""
        last = {row["document_id"]: _document(row) for row in rows}
        known = _there(connection, self._documents, "document_id", last)
        added = [row for document_id, row in last.items() if document_id not in known]
        if added:
            connection.execute(self._documents.insert(), added)
        table = self._documents.c
        for document_id in known:
            row = last[document_id]
            is_later = (table.at < row["at"]) | ((table.at == row["at"]) & (table.seq <= row["seq"]))
            connection.execute(self._documents.update().where(table.document_id == document_id, is_later), row)


def engine_of(url: str) -> Engine:
    """An engine that opens a connection for each delivery; ConfigError if the address or its driver is not right."""
    try:
        from sqlalchemy import create_engine, make_url  # noqa: PLC0415 - an extra
        from sqlalchemy.exc import ArgumentError, NoSuchModuleError  # noqa: PLC0415 - likewise
        from sqlalchemy.pool import NullPool  # noqa: PLC0415 - likewise
    except ImportError as error:
        raise ConfigError(NEEDS_EXTRA, code="needs_extra") from error
    try:
        address = make_url(url)
        options: dict[str, object] = {"connect_timeout": 10} if address.get_backend_name() == "postgresql" else {}
        if address.drivername.startswith("postgresql+psycopg"):
            options["client_encoding"] = "UTF8"  # whatever the environment asks for
        return create_engine(address, poolclass=NullPool, connect_args=options)
    except (ImportError, NoSuchModuleError) as error:
        raise ConfigError(f"The driver of this database is not installed ({error}).", code="needs_extra") from error
    except (ArgumentError, ValueError) as error:
        # Its message has the address, which may have a password.
        message = "it is not an address of a database, such as postgresql://user@host/name or sqlite:////folder/file.db"
        raise ConfigError(f"url: {message}.", code="bad_option") from error


def _table(known: Any, name: str, fields: Sequence[str], keys: Sequence[str], **more: type) -> Table:
    import sqlalchemy as sa  # noqa: PLC0415 - an extra
    from sqlalchemy.dialects import postgresql  # noqa: PLC0415 - likewise

    moment = sa.DateTime(timezone=True)
    structured = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
    types = {int: sa.BigInteger(), float: sa.Float(53), dict: structured, list: structured, str: sa.Text()}

    def column(field: str) -> sa.Column[Any]:
        kind: Any = moment if field in {*MOMENTS, *more} else types[FIELDS[field]]
        short = sa.String(_KEY_LENGTH)
        # In quotes: `at` and `text` are words of some databases.
        return sa.Column(field, short if field in _KEYS else kind, primary_key=field in keys, quote=True)

    columns = [column(field) for field in (*keys, *fields, *more)]
    return sa.Table(name, known, *columns, sa.Index(f"{name}_order", "dossier_id", "seq"))


def _row(parcel: Parcel) -> Record:
    """A change as a row: times as times, nothing that a database cannot store."""
    record: Record = {name: _storable(value) for name, value in change_record(parcel).items()}
    return record | {name: _moment(record[name]) for name in MOMENTS}


def _document(row: Record) -> Record:
    """The row of a document after a change."""
    kept = {name: value for name, value in row.items() if name not in _OF_CHANGE}
    return kept | {"removed_at": row["at"] if row["change"] == Change.REMOVED.value else None}


def _there(connection: Connection, table: Table, key: str, wanted: Any) -> set[str]:
    """Which of these keys a table has."""
    from sqlalchemy import select  # noqa: PLC0415 - an extra

    column = table.c[key]
    found: set[str] = set()
    for some in _portions(list(wanted)):
        found.update(connection.scalars(select(column).where(column.in_(some))))
    return found


def _portions(keys: list[str]) -> Iterator[list[str]]:
    for at in range(0, len(keys), _AT_ONCE):
        yield keys[at : at + _AT_ONCE]


def _moment(value: object) -> datetime | None:
    return datetime.fromisoformat(value) if isinstance(value, str) else None


def _storable(value: Any) -> Any:
    """A value without NUL, which PostgreSQL cannot store, neither in a text nor in JSON."""
    if isinstance(value, str):
        return value.replace("\0", "")
    if isinstance(value, dict):
        return {_storable(key): _storable(inner) for key, inner in value.items()}
    return [_storable(inner) for inner in value] if isinstance(value, list | tuple) else value
