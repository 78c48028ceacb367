"""What all dossiers share: their names, when each has something due, and which worker has which host."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from veille.adapters.private import private_folder
from veille.adapters.stores.sqlite._db import SqliteDatabase
from veille.adapters.stores.sqlite._schema import CATALOG
from veille.core.models import Dossier, Scope
from veille.core.schedule import LONGEST_LEASE
from veille.errors import ConfigError, NotFoundError, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from veille.adapters.stores.database import Database

#: The hint of a dossier's next due time is written after the dossier's own commit. If the process is killed in between,
#: the dossier is checked after this time at the latest.
HINT_CAP = 15 * 60 * 1000

#: Lowers the hint, if it is later.
WAKE = "UPDATE dossiers SET next_due_at = ?1 WHERE id = ?2 AND next_due_at > ?1"
NAME = "catalog.db"
#: What a data folder may contain before it has a catalog: the key of the secrets, folders of other parts, and what a
#: new disk contains.
_OURS = frozenset({"secrets.key", "dossiers", "logs", "crawls", "articles", "buffer", "lost+found"})


class Catalog:
    """What the queue, the dossiers and the pages need of the catalog's database."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def add(self, dossier: Dossier, maker: str = "") -> None:
        with self.db.write():
            if self.made(dossier.name, maker):
                raise ConfigError(f"There is a dossier called {dossier.name!r} already.", code="dossier_exists")
            self.db.execute(
                "INSERT INTO dossiers (id, name, maker, created_at) VALUES (?, ?, ?, ?)",
                (dossier.id, dossier.name, maker, dossier.created_at),
            )

    def rename(self, dossier_id: str, name: str) -> None:
        with self.db.write():
            maker = self.db.value("SELECT maker FROM dossiers WHERE id = ?", (dossier_id,))
            if (self.made(name, maker) or dossier_id) != dossier_id:
                raise ConfigError(f"There is a dossier called {name!r} already.", code="dossier_exists")
            self.db.execute("UPDATE dossiers SET name = ? WHERE id = ?", (name, dossier_id))

    def made(self, name: str, maker: str) -> str | None:
        """The id of this maker's dossier of that name."""
        found: str | None = self.db.value("SELECT id FROM dossiers WHERE name = ? AND maker = ?", (name, maker))
        return found

    def all(self) -> list[Dossier]:
        rows = self.db.execute("SELECT id, name, created_at FROM dossiers ORDER BY name")
        return [Dossier(id=row[0], name=row[1], created_at=row[2]) for row in rows]

    def has(self, dossier_id: str) -> bool:
        return bool(self.db.execute("SELECT 1 FROM dossiers WHERE id = ?", (dossier_id,)))

    def has_several(self) -> bool:
        """Whether there is more than one dossier."""
        return len(self.db.execute("SELECT 1 FROM dossiers LIMIT 2")) > 1

    def find(self, name_or_id: str) -> Dossier:
        rows = self.db.execute(
            "SELECT id, name, created_at FROM dossiers WHERE id = ?1 OR name = ?1 ORDER BY id = ?1 DESC, maker",
            (name_or_id,),
        )
        if not rows:
            raise NotFoundError(
                f"There is no dossier called {name_or_id!r}; `veille dossiers` lists them.", code="no_dossier"
            )
        if len(rows) > 1 and rows[0][0] != name_or_id:
            ids = ", ".join(row[0] for row in rows)
            raise ConfigError(
                f"Several users have a dossier called {name_or_id!r}; give the id of one: {ids}.",
                code="ambiguous_dossier",
            )
        return Dossier(id=rows[0][0], name=rows[0][1], created_at=rows[0][2])

    def some(self, dossier_ids: Sequence[str]) -> list[Dossier]:
        rows = self.db.execute(
            "SELECT id, name, created_at FROM dossiers WHERE id IN (SELECT value FROM json_each(?)) ORDER BY name",
            (json.dumps(list(dossier_ids)),),
        )
        return [Dossier(id=row[0], name=row[1], created_at=row[2]) for row in rows]

    def with_meaning(self) -> list[str]:
        """The dossiers that have an embedder."""
        return self.db.column("SELECT id FROM dossiers WHERE has_meaning = 1")

    def set_meaning(self, dossier_id: str, *, is_on: bool) -> None:
        """Note whether a dossier has an embedder."""
        self.db.execute("UPDATE dossiers SET has_meaning = ?2 WHERE id = ?1", (dossier_id, int(is_on)))

    def delete(self, dossier_id: str) -> None:
        self.db.execute("DELETE FROM dossiers WHERE id = ?", (dossier_id,))

    def due(self, now: int, scope: Scope) -> list[str]:
        """The dossiers that may have something due, longest waiting first; with named sources, all in scope."""
        if scope.sources is not None and scope.dossiers is not None:
            # The hint covers what any worker may claim, not a crawl: its source is paused for all other workers.
            named = "SELECT id FROM dossiers WHERE id IN (SELECT value FROM json_each(?)) ORDER BY next_due_at"
            return self.db.column(named, (json.dumps(sorted(scope.dossiers)),))
        # A hint beyond HINT_CAP was set while the clock was ahead.
        ids = self.db.column(
            "SELECT id FROM dossiers WHERE next_due_at <= ?1 OR next_due_at > ?1 + ?2 ORDER BY next_due_at",
            (now, HINT_CAP),
        )
        return [one for one in ids if scope.dossiers is None or one in scope.dossiers]

    def set_due(self, dossier_id: str, due: int | None, now: int) -> None:
        """Set the hint to what the dossier's frontier showed."""
        hint = min(due if due is not None else now + HINT_CAP, now + HINT_CAP)
        with self.db.write_passing():
            self.db.execute(
                "UPDATE dossiers SET next_due_at = ?1 WHERE id = ?2 AND next_due_at IS NOT ?1", (hint, dossier_id)
            )

    def wake(self, dossier_id: str, due: int) -> None:
        """Something is due at this time: lower the hint if it is later."""
        with self.db.write_passing():
            self.db.execute(WAKE, (due, dossier_id))

    def reserve(self, dossier_id: str, day: int, wanted: int, daily: int) -> int:
        """Count as many of the wanted requests as the dossier has left on that day; a negative number returns some."""
        with self.db.write():
            spent = self.spent(dossier_id, day)
            granted = max(min(wanted, daily - spent), -spent)
            if granted:
                self.db.execute(
                    "UPDATE dossiers SET spent = ?, day = ? WHERE id = ?", (spent + granted, day, dossier_id)
                )
        return granted

    def spent(self, dossier_id: str, day: int) -> int:
        """The number of requests counted for that day."""
        return int(self.db.value("SELECT spent FROM dossiers WHERE id = ? AND day = ?", (dossier_id, day)) or 0)

    def busy_hosts(self, worker: str, now: int) -> list[str]:
        return self.db.column("SELECT host FROM host_leases WHERE owner <> ? AND until > ?", (worker, now))

    def host_owners(self, now: int) -> dict[str, int]:
        """The workers that have host leases, and when the last lease of each ends."""
        rows = self.db.execute("SELECT owner, max(until) FROM host_leases WHERE until > ? GROUP BY owner", (now,))
        return dict(rows)

    def lease_hosts(self, worker: str, hosts: Iterable[str], now: int, until: int) -> list[str]:
        """Lease these hosts to the worker; returns the ones that no other worker has."""
        with self.db.write_passing():
            # `WHERE true`: without it, ON CONFLICT is read as part of the join.
            return self.db.column(
                "INSERT INTO host_leases (host, owner, until) SELECT value, ?2, ?3 FROM json_each(?1) WHERE true "
                "ON CONFLICT (host) DO UPDATE SET owner = ?2, until = ?3 WHERE host_leases.owner = ?2 "
                "OR host_leases.until <= ?4 "
                "RETURNING host",
                (json.dumps(list(hosts)), worker, until, now),
            )

    def wanted_hosts(self, worker: str, since: int) -> list[str]:
        """The hosts of the worker that another program asked for since then."""
        return self.db.column("SELECT host FROM host_leases WHERE owner = ? AND wanted_at >= ?", (worker, since))

    def has_guests(self, now: int) -> bool:
        """Whether somebody borrows a host."""
        return bool(
            self.db.column(
                "SELECT host FROM host_leases WHERE substr(owner, 1, 6) = 'guest:' AND until > ? LIMIT 1", (now,)
            )
        )

    def renew_hosts(self, worker: str, now: int, until: int) -> None:
        with self.db.write_passing():
            self.db.execute("UPDATE host_leases SET until = ? WHERE owner = ? AND until > ?", (until, worker, now))

    def free_hosts(self, worker: str, hosts: Iterable[str]) -> None:
        """Release these hosts."""
        if not (freed := list(hosts)):
            return
        with self.db.write_passing():
            self.db.execute(
                "DELETE FROM host_leases WHERE owner = ? AND host IN (SELECT value FROM json_each(?))",
                (worker, json.dumps(freed)),
            )

    def free_all_hosts(self, worker: str, now: int) -> None:
        """Release all hosts of the worker, and delete the leases that dead workers left."""
        with self.db.write_passing():
            self.db.execute(
                "DELETE FROM host_leases WHERE owner = ?1 OR until <= ?2 OR until > ?2 + ?3",
                (worker, now, LONGEST_LEASE),
            )

    def close(self) -> None:
        self.db.close()


class SqliteCatalog(Catalog):
    """`catalog.db` in the data folder."""

    def __init__(self, folder: Path) -> None:
        try:
            problem = _why_not_begin(folder) if folder.exists() and not (folder / NAME).exists() else None
            # Another process may have set up the folder meanwhile; it creates the catalog first.
            if problem and not (folder / NAME).exists():
                raise problem
            private_folder(folder)
        except OSError as error:
            raise StoreError(
                f"The data folder {folder} cannot be used ({error.strerror}): check its rights, or choose another with "
                "--data.",
                code="store.unreadable",
            ) from error
        self.file = SqliteDatabase(folder / NAME, CATALOG, create=True)
        super().__init__(self.file)


def _why_not_begin(folder: Path) -> StoreError | None:
    """The reason not to create a catalog in this folder, if there is one."""
    if next((folder / "dossiers").glob("*/*.db"), None):
        return StoreError(
            f"{folder / NAME} is missing, though there are dossiers: restore the folder from a backup.",
            code="store.missing",
        )
    names = sorted(one.name for one in folder.iterdir() if not one.name.startswith("."))
    if names and not _OURS & set(names):
        return StoreError(
            f"{folder} is no data folder: it holds other things, such as {names[0]}. Name another with --data, or an "
            "empty one to begin in.",
            code="store.foreign",
        )
    return None
