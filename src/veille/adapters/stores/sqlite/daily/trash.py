"""The trash of one dossier: sources that were deleted and can be restored, with their documents.

A deleted source keeps its rows. It is marked, its requests are parked, its address is freed, and its documents have a
state that nothing shows; the index and the stories forget them. All of that is one transaction, also the way back.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._part import Columns
from veille.adapters.stores.sqlite._rows import SOURCE, as_json
from veille.adapters.stores.sqlite.read.revisions import STORED, revisions_from
from veille.adapters.stores.sqlite.search.bodies import write_bodies
from veille.core.report.source_status import MOST
from veille.core.report.trash import TrashedSource
from veille.errors import NotFoundError

if TYPE_CHECKING:
    from veille.adapters.stores.database import Database
    from veille.adapters.stores.sqlite.catalog.catalog import Catalog
    from veille.adapters.stores.sqlite.commit.sources import SqliteSources
    from veille.core.models import Source

_PREFIX = "trashed "
_TRASHED = Columns(
    TrashedSource,
    "id, name, kind, url, trashed_at, (SELECT count(*) FROM (SELECT 1 FROM documents "
    f"WHERE source_id = sources.id LIMIT {MOST})) AS documents",
)
#: The key of a source that was moved to another dossier begins so.
MOVED = "moved:"
#: Documents that are indexed again at once; each has its whole text in memory.
_AT_ONCE = 200


class SqliteTrash:
    """The port `Trash`."""

    def __init__(self, dossier_id: str, db: Database, sources: SqliteSources, catalog: Catalog) -> None:
        self._dossier_id = dossier_id
        self._db = db
        self._sources = sources
        self._catalog = catalog

    def all(self, limit: int) -> list[TrashedSource]:
        rows = self._db.execute(
            f"SELECT {_TRASHED} FROM sources WHERE trashed_at IS NOT NULL ORDER BY trashed_at DESC, id LIMIT ?",
            (limit,),
        )
        return list(map(_TRASHED, rows))

    def put(self, source_id: str, now: int, *, is_moved: bool = False) -> None:
        with self._db.write():
            if self._sources.get(source_id) is None:
                return
            self._sources.leave(source_id)
            self._db.execute(
                "UPDATE documents SET state = ?2 || state WHERE source_id = ?1 AND state NOT GLOB 'trashed*'",
                (source_id, _PREFIX),
            )
            self._db.execute(
                "UPDATE sources SET trashed_at = ?2, was_enabled = enabled, enabled = 0, key = ?3 || id WHERE id = ?1",
                (source_id, now, MOVED if is_moved else "trash:"),
            )
            # A worker that has one of its requests in hand commits nothing any more.
            self._db.execute(
                "UPDATE requests SET parked = 1, lease_owner = NULL, lease_until = 0, lease_epoch = lease_epoch + 1 "
                "WHERE source_id = ?",
                (source_id,),
            )
        self._catalog.wake(self._dossier_id, 0)

    def restore(self, source_id: str, now: int) -> Source:
        with self._db.write():
            rows = self._db.execute(
                f"SELECT {SOURCE}, was_enabled FROM sources WHERE id = ? AND trashed_at IS NOT NULL", (source_id,)
            )
            if not rows:
                raise NotFoundError("There is no such source in the trash of this dossier.", code="no_source")
            source, was_enabled = SOURCE(rows[0][:-1]), rows[0][-1]
            self._sources.claim(source)
            self._db.execute(
                "UPDATE sources SET trashed_at = NULL, enabled = ?2, updated_at = ?3 WHERE id = ?1",
                (source_id, was_enabled, now),
            )
            self._db.execute("UPDATE requests SET parked = ?2 WHERE source_id = ?1", (source_id, int(not was_enabled)))
            rows = self._db.execute(
                "UPDATE documents SET state = substr(state, ?2) WHERE source_id = ?1 AND state GLOB 'trashed*' "
                "RETURNING row, state",
                (source_id, len(_PREFIX) + 1),
            )
            self._index([row for row, state in rows if state != "duplicate"])
        self._catalog.wake(self._dossier_id, now)
        return replace(source, enabled=bool(was_enabled), updated_at=now)

    def purge(self, before: int, now: int) -> int:
        rows = self._db.execute("SELECT id, key FROM sources WHERE trashed_at < ?", (before,))
        for source_id, key in rows:
            self._sources.delete(source_id, now, is_moved=key.startswith(MOVED))
        return len(rows)

    def _index(self, rows: list[int]) -> None:
        """Index the current texts of these documents again."""
        for at in range(0, len(rows), _AT_ONCE):
            some = rows[at : at + _AT_ONCE]
            found = self._db.execute(
                f"SELECT documents.row, {STORED} FROM revisions JOIN documents ON documents.revision_id = revisions.id "
                f"WHERE documents.row IN ({', '.join('?' * len(some))})",
                some,
            )
            texts = revisions_from(self._db, [row[1:] for row in found])
            numbered = zip((row[0] for row in found), texts, strict=True)
            write_bodies(self._db, [(row, one.title, one.text, one.lang) for row, one in numbered])
        # Their pieces and vectors stayed; what was never embedded, and is by now, is found when they are cut again.
        self._db.execute(
            "INSERT OR IGNORE INTO uncut SELECT CAST(value AS INTEGER) FROM json_each(?) "
            "WHERE EXISTS (SELECT 1 FROM embedders)",
            (as_json(rows),),
        )
