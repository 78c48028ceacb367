"""Changes as Parquet files, by dossier and day: for DuckDB, BigQuery, Spark and data frames.

A file is `FOLDER/dossier=<id>/date=<YYYY-MM-DD>/<number>.parquet`: the changes of one delivery on one day (UTC), named
by the number of the first. It has the columns of [the exchange format](exchange.md), like an export to Parquet. It
appears only when it is complete; what is delivered again after a crash replaces the file that it was in. Needs the
extra `parquet`.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

from pydantic import Field

from veille.adapters.exports.parquet import Parquet
from veille.adapters.files import replaced
from veille.core.outgoing.export_record import Exported, change_record
from veille.core.records import Parcel
from veille.errors import SinkError
from veille.ports import Recall, Sink, SinkConfig

_NAME = re.compile(r"(\d{12,})\.parquet")


class ParquetConfig(SinkConfig):
    """Options of the files."""

    folder: Path = Field(description="The folder that holds a folder for each dossier.")


class ParquetSink(Sink):
    """Writes a file per delivery and day."""

    Config = ParquetConfig
    config: ParquetConfig
    is_apart = True

    def deliver(self, parcels: Sequence[Parcel]) -> int:
        if not parcels:
            return 0
        try:
            return self._write(parcels)
        except OSError as error:
            raise SinkError(
                f"The files cannot be written to {self.config.folder} ({error.strerror or error}); make room or check "
                "its rights, then run `veille deliver --now`.",
                code="sink.parquet",
            ) from error

    def forget(self, dossier_id: str, document_ids: Iterable[str]) -> Recall:  # noqa: ARG002 - its folder goes
        """Delete the folder of the dossier."""
        folder = self.config.folder / f"dossier={dossier_id}"
        try:
            if folder.exists():
                shutil.rmtree(folder)
        except OSError as error:
            raise SinkError(
                f"{folder} cannot be deleted ({error.strerror}); check its rights.", code="sink.parquet"
            ) from error
        return Recall.GONE

    def _write(self, parcels: Sequence[Parcel]) -> int:
        home = self.config.folder / f"dossier={parcels[0].event.dossier_id}"
        # What was numbered from here on was never recorded as delivered: it comes again now, or after this.
        stale = {path for path in home.glob("date=*/*.parquet") if _number(path) >= parcels[0].event.seq}
        known = sum(map(_rows, stale))
        written = set()
        for date, group in groupby(parcels, key=_date):
            some = list(group)
            path = home / f"date={date}" / f"{some[0].event.seq:012}.parquet"
            path.parent.mkdir(parents=True, exist_ok=True)
            with replaced(path) as out:
                table = Parquet(out)
                table.write([Exported(change_record(one), one.revision) for one in some])
                table.finish()
            written.add(path)
        for path in stale - written:
            path.unlink(missing_ok=True)
        return max(0, len(parcels) - known)


def _date(parcel: Parcel) -> str:
    return datetime.fromtimestamp(parcel.event.at // 1000, UTC).strftime("%Y-%m-%d")


def _number(path: Path) -> int:
    match = _NAME.fullmatch(path.name)
    return int(match[1]) if match else -1


def _rows(path: Path) -> int:
    import pyarrow.parquet as pq  # noqa: PLC0415 - large, and only some need it

    return int(pq.read_metadata(path).num_rows)
