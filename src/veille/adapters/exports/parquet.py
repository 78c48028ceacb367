"""Parquet with Zstandard, for data frames and SQL engines; needs the extra `parquet`.

Times are timestamps in UTC, `meta` and `changed_metadata` are JSON as text.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import IO, Any

from veille.core.outgoing.export_record import FIELDS, MOMENTS, Exported, flat_values
from veille.errors import ConfigError
from veille.ports import Export

#: A row group is written once it has this many rows or characters of text.
MAX_ROWS = 10_000
MAX_TEXT = 16 * 1024 * 1024


class Parquet(Export):
    """Parquet for data frames."""

    def __init__(self, out: IO[bytes]) -> None:
        super().__init__(out)
        try:
            import pyarrow as pa  # noqa: PLC0415 - large, and only some need it
            import pyarrow.parquet as pq  # noqa: PLC0415 - likewise
        except ImportError as error:
            raise ConfigError(
                "Parquet needs a library that is not installed: `pip install 'veille[parquet]'`.", code="needs_extra"
            ) from error
        self._arrow: Any = pa
        types = {str: pa.string(), dict: pa.string(), list: pa.string(), int: pa.int64(), float: pa.float64()}
        moment = pa.timestamp("ms", tz="UTC")
        self._schema = pa.schema([(name, moment if name in MOMENTS else types[kind]) for name, kind in FIELDS.items()])
        self._writer = pq.ParquetWriter(out, self._schema, compression="zstd")
        self._rows: list[dict[str, Any]] = []
        self._text = 0

    def write(self, documents: Sequence[Exported]) -> None:
        for document in documents:
            row = dict(zip(FIELDS, flat_values(document.record), strict=True))
            self._rows.append(row | {name: _moment(row[name]) for name in MOMENTS})
            self._text += document.record["text_length"]
            if len(self._rows) >= MAX_ROWS or self._text >= MAX_TEXT:
                self._flush()

    def finish(self) -> None:
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(self._arrow.Table.from_pylist(self._rows, schema=self._schema))
        self._rows, self._text = [], 0


def _moment(value: object) -> datetime | None:
    return datetime.fromisoformat(value) if isinstance(value, str) else None
