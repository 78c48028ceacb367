"""The tables that both stores have: their columns and keys, in an order in which no row refers to a later one."""

from __future__ import annotations

from contextlib import closing
from functools import cache
from graphlib import TopologicalSorter
from typing import NamedTuple

import apsw

from veille.adapters.stores.sqlite import _schema

#: Columns with the names of files outside the store.
FILES = (("archived_revisions", "file"), ("raw_bodies", "segment"), ("pictures", "segment"))
#: Whose turn a host is: nobody's, because nobody works.
_LEFT_BEHIND = {"host_leases"}
_COLUMNS = "SELECT name, pk FROM pragma_table_info(?) ORDER BY cid"
_TABLES = (
    "SELECT t.name, m.sql FROM pragma_table_list AS t JOIN sqlite_master AS m ON m.name = t.name "
    "WHERE t.type = 'table' AND t.schema = 'main' AND t.name NOT GLOB 'sqlite_*' ORDER BY t.name"
)


class SharedTable(NamedTuple):
    """A table of rows that have a key; its full-text index is made again."""

    name: str
    columns: tuple[str, ...]
    #: In SQL, quoted.
    listed: str
    key: tuple[str, ...]
    ordered: str
    #: Whether numbers are never given twice, not even those of deleted rows.
    counts: bool

    @property
    def places(self) -> tuple[int, ...]:
        """Where in a row its key is."""
        return tuple(map(self.columns.index, self.key))


@cache
def dossier_tables() -> tuple[SharedTable, ...]:
    """Those of a dossier."""
    return _tables(_schema.DOSSIER)


@cache
def catalog_tables() -> tuple[SharedTable, ...]:
    """Those of the catalog."""
    return tuple(one for one in _tables(_schema.CATALOG) if one.name not in _LEFT_BEHIND)


def _tables(scripts: tuple[str, ...]) -> tuple[SharedTable, ...]:
    with closing(apsw.Connection(":memory:")) as fresh:
        for script in scripts:
            fresh.execute(script)
        found = {str(name): str(sql) for name, sql in fresh.execute(_TABLES)}
        parents = {
            name: {str(row[0]) for row in fresh.execute('SELECT "table" FROM pragma_foreign_key_list(?)', (name,))}
            for name in found
        }
        columns = {name: list(fresh.execute(_COLUMNS, (name,))) for name in found}
    order = TopologicalSorter(parents).static_order()
    return tuple(_table(name, columns[name], found[name]) for name in order)


def _table(name: str, columns: list[tuple[str, int]], sql: str) -> SharedTable:
    names = tuple(str(column) for column, _ in columns)
    # A table without a key is a heap: all of a row tells it from others.
    key = tuple(str(column) for column, place in sorted(columns, key=lambda one: one[1]) if place) or names
    return SharedTable(name, names, _quoted(names), key, _quoted(key), "AUTOINCREMENT" in sql)


def _quoted(names: tuple[str, ...]) -> str:
    return ", ".join(f'"{one}"' for one in names)
