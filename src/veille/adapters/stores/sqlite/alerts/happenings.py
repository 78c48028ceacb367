"""What happened to sources and runs; and the times when dossiers need attention."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from veille.adapters.stores.sqlite._part import Columns, Part
from veille.core.alerts.happening import Happening
from veille.core.models import AILING, Source

if TYPE_CHECKING:
    from veille.adapters.stores.database import Database

_HAPPENING: Final = Columns(
    Happening,
    "seq, at, occasion, source_id, state_before, state_after, code, message, run, has_failed",
    has_failed=bool,
)
_GIVEN: Final = [name for name in str(_HAPPENING).split(", ") if name != "seq"]
#: Happenings that were judged long ago are of no use.
_KEPT: Final = 10_000


class SqliteHappenings(Part):
    """The port `Happenings`; `wake` is called with the time when somebody should look at it."""

    def __init__(self, db: Database, wake: Callable[[int], None]) -> None:
        super().__init__(db)
        self._wake = wake

    def add(self, happening: Happening) -> None:
        record(self._db, [happening])
        self._wake(happening.at)

    def after(self, seq: int, limit: int) -> list[Happening]:
        return self._all(_HAPPENING, "FROM happenings WHERE seq > ? ORDER BY seq LIMIT ?", (seq, limit))

    def last_seq(self) -> int:
        return int(self._db.value("SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'happenings'), 0)"))


class SqliteAlertTimes(Part):
    """The port `AlertTimes`, in the catalog database."""

    def set(self, dossier_id: str, at: int | None) -> None:
        if at is None and not self._db.value("SELECT 1 FROM alert_times WHERE dossier_id = ?", (dossier_id,)):
            return
        with self._db.write_passing():
            if at is None:
                self._db.execute("DELETE FROM alert_times WHERE dossier_id = ?", (dossier_id,))
            else:
                self._db.execute(
                    "INSERT INTO alert_times SELECT id, ?2 FROM dossiers WHERE id = ?1 "
                    "ON CONFLICT DO UPDATE SET due_at = ?2",
                    (dossier_id, at),
                )

    def due(self, now: int) -> list[str]:
        return self._db.column("SELECT dossier_id FROM alert_times WHERE due_at <= ? ORDER BY due_at", (now,))


def record(db: Database, happenings: Iterable[Happening]) -> None:
    """Store these happenings, and forget very old ones."""
    rows = [tuple(getattr(one, name) for name in _GIVEN) for one in happenings]
    if not rows:
        return
    with db.write():
        db.many(f"INSERT INTO happenings ({', '.join(_GIVEN)}) VALUES ({', '.join('?' * len(_GIVEN))})", rows)
        db.execute(
            "DELETE FROM happenings WHERE seq <= (SELECT seq FROM happenings ORDER BY seq DESC LIMIT 1 OFFSET ?)",
            (_KEPT,),
        )


def state_changes(before: Iterable[Source], after: Iterable[Source], now: int) -> list[Happening]:
    """The sources that broke, recovered, or fail in another way than before."""
    states = {source.id: source.state for source in before}
    return [
        Happening(
            at=now,
            occasion="health",
            source_id=source.id,
            state_before=states[source.id],
            state_after=source.state,
            code=source.error_code,
            message=source.error,
        )
        for source in after
        if source.id in states
        and states[source.id] is not source.state
        and (source.state in AILING or states[source.id] in AILING)
    ]
