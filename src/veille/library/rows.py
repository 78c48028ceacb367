"""Lists of results that can be made into tables."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_type_hints

from veille.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd
    import pyarrow as pa

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class _Column:
    """A field of a record, or of a record in it."""

    name: str
    #: The fields that lead to it.
    path: tuple[str, ...]
    #: What its values are, None aside; `str` for what is told as JSON.
    type: type[Any]
    is_optional: bool


class Rows(list[Row]):
    """A list of results. As a table, a column is a field; times become real times, and tables in fields JSON."""

    def __init__(self, rows: Iterable[Row] = (), kind: type[Row] | None = None) -> None:
        super().__init__(rows)
        self._kind = kind

    @property
    def _columns(self) -> tuple[_Column, ...]:
        kind: Any = self._kind or next((type(one) for one in self), None)
        return _columns(kind) if kind else ()

    def to_dicts(self) -> list[dict[str, Any]]:
        """Every row as a flat dictionary: the fields of a field that is a record itself are called `field_name`.

        >>> [point["value_number"] for point in prices.values(name="price").to_dicts()]
        [12.9, 13.9]
        """
        columns = self._columns
        return [{column.name: _cell(one, column.path) for column in columns} for one in self]

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a DataFrame of pandas, which has to be installed.

        >>> prices.values(name="price").to_pandas()["value_number"].tolist()
        [12.9, 13.9]
        """
        try:
            import pandas as pd  # noqa: PLC0415 - only who wants it has it
        except ImportError as error:
            raise _missing("pandas", "pandas") from error
        columns = self._columns
        table = pd.DataFrame(self.to_dicts(), columns=[column.name for column in columns])
        # What this pandas makes of texts: `str` from 3 on, objects before; a column without any would be objects.
        text = pd.Series([""]).dtype
        for column in columns:
            if _is_time(column.name):
                times = pd.to_datetime(table[column.name], unit="ms", utc=True)
                table[column.name] = times.astype("datetime64[ms, UTC]")
            elif column.type in _PANDAS:
                table[column.name] = table[column.name].astype(_PANDAS[column.type][column.is_optional])
            else:
                table[column.name] = table[column.name].astype(text)
        return table

    def to_arrow(self) -> pa.Table:
        """The rows as a table of Arrow; needs the extra `parquet`.

        >>> prices.changes().to_arrow().schema.field("at").type
        TimestampType(timestamp[ms, tz=UTC])
        """
        try:
            import pyarrow as pa  # noqa: PLC0415 - only who wants it has it
        except ImportError as error:
            raise _missing("pyarrow", "'veille[parquet]'") from error
        types = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), str: pa.string()}
        time = pa.timestamp("ms", tz="UTC")
        columns = [(one.name, time if _is_time(one.name) else types[one.type]) for one in self._columns]
        return pa.Table.from_pylist(self.to_dicts(), schema=pa.schema(columns))


class ChangeRows(Rows[Row]):
    """Changes, and the cursor after the last of them: give it to the next call to go on there."""

    def __init__(self, changes: list[Row], cursor: str, kind: type[Row] | None = None) -> None:
        super().__init__(changes, kind)
        self.cursor = cursor


#: The types of columns without and with missing values.
_PANDAS = {bool: ("bool", "boolean"), int: ("int64", "Int64"), float: ("float64", "float64")}


@cache
def _columns(kind: type[Any]) -> tuple[_Column, ...]:
    """The columns of records of a kind, from its declared types, so that they are the same whatever the rows have."""
    hints = get_type_hints(kind)
    return tuple(column for one in fields(kind) for column in _columns_of(one.name, hints[one.name]))


def _columns_of(name: str, hint: Any) -> list[_Column]:
    is_optional = type(None) in get_args(hint)
    (declared,) = {*(get_args(hint) if is_optional else [hint])} - {type(None)}
    if is_dataclass(declared) and isinstance(declared, type):
        return [
            _Column(f"{name}_{inner.name}", (name, *inner.path), inner.type, is_optional or inner.is_optional)
            for inner in _columns(declared)
        ]
    plain = next((one for one in (bool, int, float) if declared is one), str)
    return [_Column(name, (name,), plain, is_optional)]


def _cell(record: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        record = None if record is None else getattr(record, name)
    if isinstance(record, dict | list | tuple | set | frozenset):
        return json.dumps(record, ensure_ascii=False, default=_plain)
    return str(record) if isinstance(record, str) else record


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {one.name: getattr(value, one.name) for one in fields(value)}
    return sorted(value) if isinstance(value, set | frozenset) else str(value)


def _is_time(name: str) -> bool:
    return name == "at" or name.endswith("_at")


def _missing(package: str, wanted: str) -> ConfigError:
    return ConfigError(f"{package} is not installed: pip install {wanted}.", code="needs_extra")
