"""The sources of one dossier."""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._rows import SOURCE, source_row
from veille.adapters.stores.sqlite.alerts.happenings import record, state_changes
from veille.adapters.stores.sqlite.beginnings import id_beginning
from veille.adapters.stores.sqlite.commit.story_writer import StoryDesk
from veille.core.models import Request, Source
from veille.core.pick.identity import part_key
from veille.core.urls import scheme_of, url_key
from veille.errors import AmbiguousError, ConfigError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from veille.adapters.stores.database import Database
    from veille.adapters.stores.sqlite.catalog.catalog import Catalog
    from veille.adapters.stores.sqlite.commit.frontier import Frontier


#: Another source, and none that is in the trash.
_ELSEWHERE = "source_id <> ?1 AND source_id NOT IN (SELECT id FROM sources WHERE trashed_at IS NOT NULL)"
#: Its documents are removed, for sinks that got them and do not know it yet; see `Event.is_elsewhere`.
_TOMBSTONES = (
    "INSERT INTO outbox (at, change, source_id, document_id, revision_id, rev_n, url, title, changed_metadata) "
    "SELECT ?2, 'removed', source_id, id, revision_id, rev_n, url, title, ?3 FROM documents WHERE source_id = ?1 AND "
    "(SELECT change FROM outbox WHERE document_id = documents.id AND past = 0 ORDER BY seq DESC LIMIT 1) <> 'removed' "
    "ORDER BY row"
)


class SqliteSources:
    """The port `Sources`."""

    def __init__(self, dossier_id: str, db: Database, frontier: Frontier, catalog: Catalog) -> None:
        self._dossier_id = dossier_id
        self._db = db
        self._frontier = frontier
        self._catalog = catalog

    @cached_property
    def _stories(self) -> StoryDesk:
        return StoryDesk(self._db)

    def add(self, source: Source, requests: Iterable[Request]) -> None:
        for problem in self.add_many([(source, requests)]):
            if problem is not None:
                raise problem

    def add_many(self, sources: Iterable[tuple[Source, Iterable[Request]]]) -> list[ConfigError | None]:
        problems: list[ConfigError | None] = []
        added: list[int] = []
        with self._db.write():
            for source, requests in sources:
                problem = self._twin(source, other_than="")
                problems.append(problem)
                if problem is None:
                    self._insert(source, requests)
                    added.append(source.created_at)
        if added:
            self._catalog.wake(self._dossier_id, min(added))
        return problems

    def _insert(self, source: Source, requests: Iterable[Request]) -> None:
        values = (*source_row(source), _key(source))
        self._db.execute(f"INSERT INTO sources ({SOURCE}, key) VALUES ({', '.join('?' * len(values))})", values)
        self._frontier.save(requests, source.created_at)

    def all(self) -> list[Source]:
        rows = self._db.execute(f"SELECT {SOURCE} FROM sources WHERE trashed_at IS NULL ORDER BY created_at, id")
        return [SOURCE(row) for row in rows]

    def count(self) -> int:
        return int(self._db.value("SELECT count(*) FROM sources WHERE trashed_at IS NULL"))

    def ailing(self) -> list[Source]:
        rows = self._db.execute(
            f"SELECT {SOURCE} FROM sources INDEXED BY sources_ailing "
            "WHERE state IN ('error', 'broken', 'suspect') AND enabled = 1 AND trashed_at IS NULL "
            "ORDER BY failures DESC, id"
        )
        return [SOURCE(row) for row in rows]

    def get(self, source_id: str) -> Source | None:
        rows = self._db.execute(f"SELECT {SOURCE} FROM sources WHERE id = ? AND trashed_at IS NULL", (source_id,))
        return SOURCE(rows[0]) if rows else None

    def find(self, name_or_id: str) -> Source:
        rows = self._db.execute(
            f"SELECT {SOURCE} FROM sources WHERE (id = ?1 OR name = ?1 OR url = ?1) AND trashed_at IS NULL "
            "ORDER BY id = ?1 DESC, url = ?1 DESC, id LIMIT ?2",
            (name_or_id, AmbiguousError.MOST + 1),
        )
        if not rows:
            if (begun := id_beginning(self._db, "sources", name_or_id, code="ambiguous_source")) and (
                source := self.get(begun)
            ):
                return source
            raise NotFoundError(
                f"There is no source called {name_or_id!r} in this dossier; `veille sources` lists them.",
                code="no_source",
            )
        found = list(map(SOURCE, rows))
        if len(found) > 1 and name_or_id not in {found[0].id, found[0].url}:
            raise AmbiguousError(
                f"Several sources are called {name_or_id!r}",
                [f"{one.id} ({one.url})" for one in found],
                code="ambiguous_source",
            )
        return found[0]

    def update(self, source: Source, requests: Iterable[Request] | None = None) -> None:
        with self._db.write():
            if twin := self._twin(source, other_than=source.id):
                raise twin
            config = self._db.value("SELECT config FROM sources WHERE id = ?", (source.id,))
            is_other = config != json.dumps(source.config)
            if is_other:
                # With other options the same bytes may mean something else.
                self._db.execute(
                    "UPDATE requests SET etag = '', last_modified = '', raw_hash = '' WHERE source_id = ?", (source.id,)
                )
            if before := self.get(source.id):
                record(self._db, state_changes([before], [source], source.updated_at))
            columns = ", ".join(f"{name} = ?" for name in str(SOURCE).split(", "))
            self._db.execute(
                f"UPDATE sources SET {columns}, key = ? WHERE id = ?",
                (*source_row(source), _key(source), source.id),
            )
            if is_other:
                from veille.adapters.stores.sqlite.read.raw_answers import drop_unkept  # noqa: PLC0415 - seldom needed

                drop_unkept(self._db, [source.id])
            if requests is not None:
                self._begin_anew(source, list(requests))
            self._park(source.id, is_parked=not source.enabled)
        self._catalog.wake(self._dossier_id, source.updated_at)

    def refuse(self, source_id: str, code: str, error: str) -> None:
        with self._db.write():
            self._db.execute(
                "UPDATE sources SET enabled = 0, error_code = ?, error = ? WHERE id = ?", (code, error, source_id)
            )
            self._park(source_id, is_parked=True)

    def _park(self, source_id: str, *, is_parked: bool) -> None:
        self._db.execute("UPDATE requests SET parked = ? WHERE source_id = ?", (int(is_parked), source_id))
        if is_parked:
            # Clear validators so that other sources re-read what this one owned.
            self._db.execute(
                "UPDATE requests SET etag = '', last_modified = '', raw_hash = '' WHERE source_id <> ?1 "
                "AND document_id IN (SELECT id FROM documents WHERE source_id = ?1)",
                (source_id,),
            )

    def _begin_anew(self, source: Source, requests: list[Request]) -> None:
        ids = json.dumps([request.id for request in requests])
        self._db.execute(
            "DELETE FROM requests WHERE source_id = ? AND purpose IN ('root', 'next') "
            "AND id NOT IN (SELECT value FROM json_each(?))",
            (source.id, ids),
        )
        self._frontier.save(requests, source.updated_at)
        for request in requests:
            context = json.dumps(request.context)
            self._db.execute("UPDATE requests SET context = ? WHERE id = ?", (context, request.id))

    def retime(self, source_id: str, at: int | None, *, step: int | None = None) -> None:
        self._db.execute(
            "UPDATE requests SET due_at = ?2 + (every - 1) * coalesce(?3, 0) "
            "WHERE source_id = ?1 AND every > 0 AND (?3 IS NOT NULL OR purpose = 'root')",
            (source_id, at, step),
        )
        if at is not None:
            self._catalog.wake(self._dossier_id, at)

    def mute(self, source_id: str, until: int) -> None:
        self._db.execute("UPDATE sources SET muted_until = ? WHERE id = ?", (until, source_id))

    def muted(self) -> dict[str, int]:
        return dict(self._db.execute("SELECT id, muted_until FROM sources WHERE muted_until > 0"))

    def waiting(self, source_id: str, now: int, limit: int) -> tuple[int, list[str]]:
        rows = self._db.execute(
            "SELECT url, count(*) OVER () FROM requests WHERE source_id = ? AND due_at <= ? ORDER BY depth, due_at, id "
            "LIMIT ?",
            (source_id, now, limit),
        )
        return (rows[0][1] if rows else 0), [row[0] for row in rows]

    def raw_hashes(self) -> dict[str, str]:
        rows = self._db.execute("SELECT source_id, raw_hash FROM requests WHERE purpose = 'root' ORDER BY done_at")
        return dict(rows)

    def claim(self, source: Source) -> None:
        """Take the address of a source back; ConfigError if another source watches it."""
        if twin := self._twin(source, other_than=source.id):
            raise twin
        self._db.execute("UPDATE sources SET key = ? WHERE id = ?", (_key(source), source.id))

    def leave(self, source_id: str) -> None:
        """Give its documents to other sources that show them; the others leave the index and the stories."""
        self._db.execute(
            "UPDATE documents SET source_id = (SELECT source_id FROM sightings WHERE document_id = documents.id "
            f"AND {_ELSEWHERE} LIMIT 1) WHERE source_id = ?1 AND state NOT GLOB 'trashed*' AND EXISTS "
            f"(SELECT 1 FROM sightings WHERE document_id = documents.id AND {_ELSEWHERE})",
            (source_id,),
        )
        goes = self._db.execute("SELECT id, row FROM documents WHERE source_id = ?", (source_id,))
        self._frontier.reread([document_id for document_id, _ in goes], 0)
        self._stories.leave(row for _, row in goes)
        self._db.execute(
            "DELETE FROM bodies WHERE row IN (SELECT row FROM documents WHERE source_id = ?)", (source_id,)
        )

    def delete(self, source_id: str, told_at: int | None = None, *, is_moved: bool = False) -> None:
        with self._db.write():
            self.leave(source_id)
            if told_at is not None:
                self._db.execute(_TOMBSTONES, (source_id, told_at, "dossier_id" if is_moved else ""))
            self._db.execute(
                "UPDATE outbox SET told = '' WHERE document_id IN (SELECT id FROM documents WHERE source_id = ?)",
                (source_id,),
            )
            self._db.execute("DELETE FROM documents WHERE source_id = ?", (source_id,))
            self._db.execute("DELETE FROM sources WHERE id = ?", (source_id,))
        self._catalog.wake(self._dossier_id, 0)

    def _twin(self, source: Source, *, other_than: str) -> ConfigError | None:
        """The error to report if another source already watches the address."""
        twin = self._db.value("SELECT name FROM sources WHERE key = ? AND id <> ?", (_key(source), other_than))
        if twin is None:
            return None
        return ConfigError(f"{source.url} is watched already, by the source {twin!r}.", code="duplicate_source")


def _key(source: Source) -> str:
    part = part_key(source.config)
    return f"{scheme_of(source.url)}:{url_key(source.url)}{f' part:{part}' if part else ''}"
