"""The repairs of one dossier's sources: proposed, applied, undone."""

from __future__ import annotations

import json
from dataclasses import asdict

from veille.adapters.stores.sqlite._part import Columns, Part
from veille.adapters.stores.sqlite.beginnings import id_beginning
from veille.core.models import Json
from veille.core.records import RepairRecord
from veille.errors import AmbiguousError, NotFoundError

#: Ids begin with their time, so their first digits are much the same; a repair can be named by its last digits.
_FEWEST_DIGITS = 4
_RECORD = Columns(
    RepairRecord,
    "repairs.id, source_id, sources.name AS source_name, rule, before, after, proof, at, applied_at, undone_at",
    before=json.loads,
    after=json.loads,
)
_FROM = "FROM repairs JOIN sources ON sources.id = source_id"


class SqliteRepairs(Part):
    """The port `Repairs`."""

    def note(self, record: RepairRecord) -> None:
        self._db.execute(
            "INSERT INTO repairs (id, source_id, rule, before, after, proof, at, applied_at, undone_at) "
            "VALUES (:id, :source_id, :rule, :before, :after, :proof, :at, :applied_at, :undone_at)",
            asdict(record) | {"before": _text(record.before), "after": _text(record.after)},
        )

    def all(self, limit: int = 100, source_id: str | None = None) -> list[RepairRecord]:
        rest = f"{_FROM} WHERE ?2 IS NULL OR source_id = ?2 ORDER BY at DESC, repairs.id DESC LIMIT ?1"
        return self._all(_RECORD, rest, (limit, source_id))

    def open(self, limit: int = 100) -> list[RepairRecord]:
        rest = f"{_FROM} WHERE applied_at IS NULL AND undone_at IS NULL ORDER BY at DESC, repairs.id DESC LIMIT ?"
        return self._all(_RECORD, rest, (limit,))

    def find(self, repair_id: str) -> RepairRecord:
        found = self._all(
            _RECORD,
            f"{_FROM} WHERE repairs.id = ?1 OR (length(?1) >= ?2 "
            "AND substr(repairs.id, length(repairs.id) - length(?1) + 1) = ?1) LIMIT ?3",
            (repair_id, _FEWEST_DIGITS, AmbiguousError.MOST + 1),
        )
        if not found and (begun := id_beginning(self._db, "repairs", repair_id, code="ambiguous_repair", label="rule")):
            found = self._all(_RECORD, f"{_FROM} WHERE repairs.id = ?", (begun,))
        if not found:
            raise NotFoundError(
                f"There is no repair {repair_id!r} in this dossier; `veille repairs` lists them.", code="no_repair"
            )
        if len(found) > 1:
            raise AmbiguousError(
                f"The ids of several repairs end with {repair_id!r}",
                [f"{one.id} ({one.rule} of {one.source_name})" for one in found],
                code="ambiguous_repair",
            )
        return found[0]

    def last(self, source_id: str, rule: str, after: Json) -> RepairRecord | None:
        rest = f"{_FROM} WHERE source_id = ? AND rule = ? AND after = ? ORDER BY at DESC LIMIT 1"
        return self._first(_RECORD, rest, (source_id, rule, _text(after)))

    def mark(self, repair_id: str, *, applied_at: int | None, undone_at: int | None) -> None:
        self._db.execute(
            "UPDATE repairs SET applied_at = ?, undone_at = ? WHERE id = ?", (applied_at, undone_at, repair_id)
        )


def _text(value: Json) -> str:
    return json.dumps(value, sort_keys=True)
