"""Lists of results that can be made into tables."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin, get_type_hints

from veille.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd
    import pyarrow as pa

Row = TypeVar("Row")


class Rows(list[Row]):
    """A list of results. As a table, a column is a field; times become real times, and tables in fields JSON."""

    def __init__(self, rows: Iterable[Row] = (), kind: type[Row] | None = None) -> None:
        super().__init__(rows)
        self._kind = kind

    def _columns(self) -> list[str] | None:
        """The columns of a table without rows; None if the rows have them."""
        return None if self or self._kind is None else _names(self._kind)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Every row as a flat dictionary: the fields of a field that is a record itself are called `field_name`.

        >>> [point["value_number"] for point in prices.values(name="price").to_dicts()]
        [12.9, 13.9]
        """
        return [dict(_flat(one)) for one in self]

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a DataFrame of pandas, which has to be installed.

        >>> prices.values(name="price").to_pandas()["value_number"].tolist()
        [12.9, 13.9]
        """
        try:
            import pandas as pd  # noqa: PLC0415 - only who wants it has it
        except ImportError as error:
            raise _missing("pandas", "pandas") from error
        table = pd.DataFrame(self.to_dicts(), columns=self._columns())
        for name in filter(_is_time, table.columns):
            table[name] = pd.to_datetime(table[name], unit="ms", utc=True)
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
        columns = self._columns()
        table = pa.table({name: pa.nulls(0) for name in columns}) if columns else pa.Table.from_pylist(self.to_dicts())
        for at, name in enumerate(table.column_names):
            if _is_time(name):
                table = table.set_column(at, name, table.column(at).cast(pa.timestamp("ms", tz="UTC")))
        return table


class ChangeRows(Rows[Row]):
    """Changes, and the cursor after the last of them: give it to the next call to go on there."""

    def __init__(self, changes: list[Row], cursor: str, kind: type[Row] | None = None) -> None:
        super().__init__(changes, kind)
        self.cursor = cursor


def _flat(record: Any, above: str = "") -> list[tuple[str, Any]]:
    flat: list[tuple[str, Any]] = []
    for one in fields(record):
        value, name = getattr(record, one.name), above + one.name
        if is_dataclass(value):
            flat += _flat(value, f"{name}_")
        elif isinstance(value, dict | list | tuple | set | frozenset):
            flat.append((name, json.dumps(value, ensure_ascii=False, default=_plain)))
        else:
            flat.append((name, str(value) if isinstance(value, str) else value))
    return flat


def _names(kind: type[Any], above: str = "") -> list[str]:
    """The columns of records of a kind, as `_flat` calls them."""
    hints = get_type_hints(kind)
    names: list[str] = []
    for one in fields(kind):
        name, hint = above + one.name, hints[one.name]
        # `Value | None`, too: where there is none, there is hardly a row.
        inner = next((part for part in (hint, *get_args(hint)) if isinstance(part, type) and is_dataclass(part)), None)
        is_list = get_origin(hint) in {dict, frozenset, list, set, tuple}
        names += _names(inner, f"{name}_") if inner and not is_list else [name]
    return names


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return dict(_flat(value))
    return sorted(value) if isinstance(value, set | frozenset) else str(value)


def _is_time(name: str) -> bool:
    return name == "at" or name.endswith("_at")


def _missing(package: str, wanted: str) -> ConfigError:
    return ConfigError(f"{package} is not installed: pip install {wanted}.", code="needs_extra")
