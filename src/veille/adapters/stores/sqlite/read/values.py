"""The values of documents over time, as they are stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._part import Part
from veille.adapters.stores.sqlite._rows import as_json
from veille.core.rules.facts import Extreme
from veille.core.schedule import DAY
from veille.core.values.value import Value, ValueChange, ValueLine, ValuePoint, ValueType

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from veille.adapters.stores.database import Row

_POINT = (
    "points.document_id, documents.source_id, points.revision_id, points.at, points.name, points.type, points.text, "
    "points.number, points.unit"
)
_FROM = "FROM value_points AS points JOIN documents ON documents.id = points.document_id"
#: The unit of a value after an event.
_UNIT = (
    "SELECT unit FROM value_points AS later WHERE document_id = ?1 AND name = ?2 AND seq <= ?3 AND text IS NOT NULL "
    "ORDER BY seq DESC LIMIT 1"
)
#: Whether another point took the place of one, up to some event.
_IS_LAST = (
    "NOT EXISTS (SELECT 1 FROM value_points AS later WHERE later.document_id = points.document_id "
    "AND later.name = points.name AND later.seq > points.seq AND {until})"
)


class SqliteValues(Part):
    """The port `StoredValues`."""

    def begin(self, points: Sequence[ValuePoint]) -> None:
        with self._db.write():
            self._db.many(
                "INSERT INTO value_points (document_id, name, seq, at, revision_id, type, text, number, unit) "
                "SELECT documents.id, ?2, outbox.seq, ?4, ?3, ?5, ?6, ?7, ?8 FROM documents "
                "JOIN outbox ON outbox.seq = (SELECT max(seq) FROM outbox WHERE document_id = documents.id) "
                "WHERE documents.id = ?1 AND documents.revision_id = ?3 AND NOT EXISTS (SELECT 1 FROM value_points "
                "WHERE document_id = ?1 AND name = ?2)",
                [
                    (
                        one.document_id,
                        one.name,
                        one.revision_id,
                        one.at,
                        value.type,
                        value.text,
                        value.number,
                        value.unit,
                    )
                    for one in points
                    if (value := one.value) is not None
                ],
            )

    def series(
        self, *, source_id: str = "", document_id: str = "", name: str = "", since: int = 0, limit: int = 1000
    ) -> list[ValuePoint]:
        in_force = _IS_LAST.format(until="later.at <= ?4")
        rows = self._db.execute(
            f"SELECT {_POINT} {_FROM} WHERE {_of(source_id, document_id, name)} AND (points.at > ?4 OR {in_force}) "
            "ORDER BY points.seq DESC, points.name DESC LIMIT ?5",
            (source_id, document_id, name, since, limit),
        )
        return [_point(row) for row in reversed(rows)]

    def current(self, source_id: str = "") -> list[ValuePoint]:
        rows = self._db.execute(
            f"SELECT {_POINT} {_FROM} WHERE {_is('documents.source_id', 1, source_id)} AND points.text IS NOT NULL "
            f"AND {_IS_LAST.format(until='true')} "
            "ORDER BY documents.row, points.name",
            (source_id,),
        )
        return list(map(_point, rows))

    def lines(
        self, *, source_id: str = "", document_id: str = "", name: str = "", since: int = 0, limit: int = 1000
    ) -> list[ValueLine]:
        # Grouped: with 200,000 points five times as fast as asking of each whether another one follows.
        rows = self._db.execute(
            "WITH last AS MATERIALIZED (SELECT document_id, name, max(seq) AS seq FROM value_points AS points "
            f"WHERE document_id IN (SELECT id FROM documents WHERE {_is('source_id', 1, source_id)} "
            f"AND state = 'current') AND {_is('document_id', 2, document_id)} AND {_is('name', 3, name)} "
            "GROUP BY document_id, name) "
            "SELECT points.document_id, documents.source_id, coalesce(sources.name, ''), documents.url, "
            "documents.title, points.name, points.at, points.type, points.text, points.number, points.unit, "
            "earlier.type, earlier.text, earlier.number, coalesce(earlier.unit, '') "
            f"{_FROM} JOIN last USING (document_id, name, seq) LEFT JOIN sources ON sources.id = documents.source_id "
            "LEFT JOIN value_points AS earlier ON earlier.document_id = points.document_id "
            "AND earlier.name = points.name AND earlier.seq = (SELECT max(seq) FROM value_points AS one "
            "WHERE one.document_id = points.document_id AND one.name = points.name AND one.seq < points.seq) "
            "WHERE points.at >= ?4 ORDER BY points.seq DESC, points.name LIMIT ?5",
            (source_id, document_id, name, since, limit),
        )
        return list(map(_line, rows))

    def names(self) -> list[str]:
        return self._db.column("SELECT DISTINCT name FROM value_points ORDER BY name")

    def around(self, seqs: Sequence[int]) -> Mapping[int, tuple[ValueChange, ...]]:
        rows = self._db.execute(
            "SELECT outbox.seq, points.seq = outbox.seq, points.name, points.type, points.text, points.number, "
            "points.unit FROM json_each(?) AS asked JOIN outbox ON outbox.seq = asked.value "
            "JOIN value_points AS points ON points.document_id = outbox.document_id AND points.seq <= outbox.seq "
            "WHERE points.seq = outbox.seq OR points.seq = (SELECT max(earlier.seq) FROM value_points AS earlier "
            "WHERE earlier.document_id = points.document_id AND earlier.name = points.name "
            "AND earlier.seq < outbox.seq) ORDER BY outbox.seq, points.name, points.seq",
            (as_json(seqs),),
        )
        found: dict[int, dict[str, list[Value | None]]] = {seq: {} for seq in seqs}
        for seq, is_news, name, *value in rows:
            pair = found[seq].setdefault(name, [None, None])
            # What the event did not bring stays in force after it.
            pair[1] = _value(name, *value)
            if not is_news:
                pair[0] = pair[1]
        return {
            seq: tuple(
                ValueChange(name=name, before=before, after=after)
                for name, (before, after) in pairs.items()
                if before is not None or after is not None
            )
            for seq, pairs in found.items()
        }

    def extremes(self, document_id: str, name: str, days: int, before_seq: int, at: int) -> Extreme:
        since = at - days * DAY
        in_force = _IS_LAST.format(until="later.at <= ?4 AND later.seq < ?3")
        ((lowest, highest),) = self._db.execute(
            "SELECT min(number), max(number) FROM value_points AS points WHERE document_id = ?1 AND name = ?2 "
            f"AND seq < ?3 AND text IS NOT NULL AND (points.at > ?4 OR {in_force}) "
            # Prices in another currency do not compare.
            f"AND (unit = '' OR coalesce(({_UNIT}), '') IN ('', unit))",
            (document_id, name, before_seq, since),
        )
        return Extreme(name=name, days=days, lowest=lowest, highest=highest)


def _of(source_id: str, document_id: str, name: str) -> str:
    """The condition for what was asked, of the bindings 1 to 3."""
    asked = (_is("documents.source_id", 1, source_id), _is("points.document_id", 2, document_id))
    return " AND ".join((*asked, _is("points.name", 3, name)))


def _is(column: str, place: int, asked: str) -> str:
    """The condition for one of them; what was not asked for names no column, so that an index can be used."""
    return f"{column} = ?{place}" if asked else f"?{place} = ''"


def _value(name: str, kind: str, text: str | None, number: float | None, unit: str) -> Value | None:
    return None if text is None else Value(name=name, type=ValueType(kind), text=text, number=number, unit=unit)


def _point(row: Row) -> ValuePoint:
    document_id, source_id, revision_id, at, name, *value = row
    return ValuePoint(
        document_id=document_id,
        source_id=source_id,
        revision_id=revision_id,
        at=at,
        name=name,
        value=_value(name, *value),
    )


def _line(row: Row) -> ValueLine:
    document_id, source_id, source_name, url, title, name, at, *values = row
    return ValueLine(
        document_id=document_id,
        source_id=source_id,
        source_name=source_name,
        url=url,
        title=title,
        name=name,
        at=at,
        value=_value(name, *values[:4]),
        before=_value(name, *values[4:]),
    )
