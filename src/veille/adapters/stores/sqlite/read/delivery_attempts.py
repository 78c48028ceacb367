"""The delivery log of one dossier: every attempt to deliver changes to a sink, until newer attempts replace it."""

from __future__ import annotations

from dataclasses import asdict

from veille.adapters.stores.sqlite._part import Columns, Part
from veille.core.outgoing.delivery_attempts import KEPT_HANDOVERS, Handover

_HANDOVER = Columns(Handover, "sink, at, first, last, changes, delivered, attempt, code, error, retry_at, duration_ms")


class SqliteHandovers(Part):
    """The port `Handovers`."""

    def record(self, handover: Handover) -> None:
        # No wait for the disk: after a successful delivery the cursor is committed next, and that commit waits.
        with self._db.write_passing():
            self._db.execute(
                f"INSERT INTO handovers ({_HANDOVER}) VALUES ({_HANDOVER.places})",
                asdict(handover),
            )
            self._db.execute(
                "DELETE FROM handovers WHERE sink = ?1 AND id <= "
                "(SELECT id FROM handovers WHERE sink = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
                (handover.sink, KEPT_HANDOVERS),
            )

    def last(self, sink: str) -> Handover | None:
        return next(iter(self.recent(sink, 1)), None)

    def recent(self, sink: str | None = None, limit: int = 50) -> list[Handover]:
        which = "" if sink is None else "WHERE sink = ?2"
        bindings = (limit,) if sink is None else (limit, sink)
        rows = self._db.execute(f"SELECT {_HANDOVER} FROM handovers {which} ORDER BY id DESC LIMIT ?1", bindings)
        return list(map(_HANDOVER, rows))
