"""Lists of results that can be made into tables."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from veille.errors import ConfigError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Row = TypeVar("Row")


class Rows(list[Row]):
    """A list of results. As a table, a column is a field; times become real times, and tables in fields JSON."""

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
        table = pd.DataFrame(self.to_dicts())
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
        table = pa.Table.from_pylist(self.to_dicts())
        for at, name in enumerate(table.column_names):
            if _is_time(name):
                table = table.set_column(at, name, table.column(at).cast(pa.timestamp("ms", tz="UTC")))
        return table


class ChangeRows(Rows[Row]):
    """Changes, and the cursor after the last of them: give it to the next call to go on there."""

    def __init__(self, changes: list[Row], cursor: str) -> None:
        super().__init__(changes)
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


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return dict(_flat(value))
    return sorted(value) if isinstance(value, set | frozenset) else str(value)


def _is_time(name: str) -> bool:
    return name == "at" or name.endswith("_at")


def _missing(package: str, wanted: str) -> ConfigError:
    return ConfigError(f"{package} is not installed: pip install {wanted}.", code="needs_extra")
