"""The numbers by which reader apps know sources, folders and changes, in the catalog database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._part import Columns, Part
from veille.adapters.stores.sqlite._rows import as_json
from veille.core.readers.item_numbers import NumberRange

if TYPE_CHECKING:
    from collections.abc import Sequence

_RANGE = Columns(NumberRange, "start, dossier_id, first_seq, length")
_NUMBERED = "SELECT coalesce(max(first_seq + length) - 1, 0) FROM reader_ranges WHERE dossier_id = ?"


class SqliteReaderNumbers(Part):
    """The port `ReaderNumbers`."""

    def of_names(self, names: Sequence[str]) -> dict[str, int]:
        found = self._known(names)
        missing = [name for name in dict.fromkeys(names) if name not in found]
        if not missing:
            return found
        with self._db.write():
            self._db.many("INSERT OR IGNORE INTO reader_names (name) VALUES (?)", [(name,) for name in missing])
            return self._known(names)

    def _known(self, names: Sequence[str]) -> dict[str, int]:
        return dict(
            self._db.execute(
                "SELECT name, number FROM reader_names WHERE name IN (SELECT value FROM json_each(?))",
                (as_json(names),),
            )
        )

    def number_up_to(self, dossier_id: str, seq: int) -> None:
        if seq <= self._db.value(_NUMBERED, (dossier_id,)):
            return
        with self._db.write():
            known = int(self._db.value(_NUMBERED, (dossier_id,)))
            if seq <= known:
                return
            last = self._first(_RANGE, "FROM reader_ranges ORDER BY start DESC LIMIT 1")
            if last is not None and last.dossier_id == dossier_id:
                self._db.execute(
                    "UPDATE reader_ranges SET length = length + ? WHERE start = ?", (seq - known, last.start)
                )
            else:
                self._db.execute(
                    f"INSERT INTO reader_ranges ({_RANGE}) VALUES (?, ?, ?, ?)",
                    (last.end if last else 1, dossier_id, known + 1, seq - known),
                )

    def ranges(self, dossier_ids: Sequence[str]) -> list[NumberRange]:
        return self._all(
            _RANGE,
            "FROM reader_ranges WHERE dossier_id IN (SELECT value FROM json_each(?)) ORDER BY start",
            (as_json(dossier_ids),),
        )
