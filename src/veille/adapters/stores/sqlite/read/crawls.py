"""The crawler of one dossier: versions of its configuration, its runs, and what each run checked."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite import _part
from veille.adapters.stores.sqlite.beginnings import id_beginning
from veille.core.crawler.runs import OPEN, ConfigVersion, Crawl, CrawlChoice, CrawlLine, CrawlState, Part
from veille.core.models import Change, Request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from veille.adapters.stores.database import Row
    from veille.core.models import Json


_VERSION = _part.Columns(ConfigVersion, "version, config, set_by, set_at", config=json.loads)
_CRAWL = _part.Columns(
    Crawl,
    "id, state, choice, config_version, launched_by, requested_at, started_at, finished_at, first_seq, last_seq, code, "
    "message, deliveries",
    state=CrawlState,
    choice=lambda text: CrawlChoice(**json.loads(text)),
    deliveries=json.loads,
)
_LINE = _part.Columns(
    CrawlLine,
    "at, change, words.url, coalesce(purpose, '') AS purpose, coalesce(strategy, '') AS strategy, code, message, "
    "status, coalesce(documents.id, '') AS document_id",
    change=Change,
)
_OPEN = "state IN (" + ", ".join(f"'{state}'" for state in sorted(OPEN)) + ")"


class SqliteCrawls(_part.Part):
    """The port `Crawls`."""

    def configure(self, config: Json, by: str, now: int) -> ConfigVersion:
        with self._db.write():
            version = int(self._db.value("SELECT coalesce(max(version), 0) + 1 FROM crawl_configs"))
            self._db.execute("INSERT INTO crawl_configs VALUES (?, ?, ?, ?)", (version, json.dumps(config), by, now))
        return ConfigVersion(version=version, config=config, set_by=by, set_at=now)

    def config(self, version: int | None = None) -> ConfigVersion | None:
        rest = "FROM crawl_configs WHERE ?1 IS NULL OR version = ?1 ORDER BY version DESC LIMIT 1"
        return self._first(_VERSION, rest, (version,))

    def enter(self, crawl: Crawl) -> None:
        self._db.execute(
            "INSERT INTO crawls (id, state, choice, config_version, launched_by, requested_at) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (
                crawl.id,
                crawl.state,
                json.dumps(asdict(crawl.choice)),
                crawl.config_version,
                crawl.launched_by,
                crawl.requested_at,
            ),
        )

    def begin(self, crawl_id: str, now: int) -> bool:
        with self._db.write():
            self._db.execute(
                f"UPDATE crawls SET state = 'running', started_at = ?2, first_seq = {_LAST_SEQ} "
                "WHERE id = ?1 AND state = 'queued' AND NOT EXISTS (SELECT 1 FROM crawls AS other WHERE other.id <> ?1 "
                "AND (other.state = 'running' OR other.state = 'queued' AND (other.requested_at, other.id) < "
                "(crawls.requested_at, crawls.id)))",
                (crawl_id, now),
            )
            return self._db.changes() == 1

    def interrupt(self, crawl_id: str) -> None:
        self._db.execute(
            "UPDATE crawls SET state = 'interrupted', "
            "finished_at = iif(started_at IS NULL, requested_at, "
            "coalesce((SELECT max(at) FROM run_items WHERE seq > first_seq), started_at)), "
            f"last_seq = iif(started_at IS NULL, 0, {_LAST_SEQ}) WHERE id = ? AND {_OPEN}",
            (crawl_id,),
        )

    def leave(self, crawl_id: str) -> None:
        self._db.execute("DELETE FROM crawls WHERE id = ? AND state = 'queued'", (crawl_id,))

    def end(self, crawl: Crawl) -> None:
        self._db.execute(
            f"UPDATE crawls SET state = ?2, finished_at = ?3, code = ?4, message = ?5, deliveries = ?6, "
            f"last_seq = {_LAST_SEQ} WHERE id = ?1",
            (crawl.id, crawl.state, crawl.finished_at, crawl.code, crawl.message, json.dumps(crawl.deliveries)),
        )

    def find(self, crawl_id: str) -> Crawl | None:
        asked = f"SELECT {_CRAWL} FROM crawls WHERE id = ?"
        rows = self._db.execute(asked, (crawl_id,))
        if not rows and (begun := id_beginning(self._db, "crawls", crawl_id, code="ambiguous_crawl", label="state")):
            rows = self._db.execute(asked, (begun,))
        return self._crawl(rows[0]) if rows else None

    def last(self, limit: int = 20) -> list[Crawl]:
        rows = self._db.execute(f"SELECT {_CRAWL} FROM crawls ORDER BY requested_at DESC, id DESC LIMIT ?", (limit,))
        return list(map(self._crawl, rows))

    def last_success_at(self) -> int | None:
        found = self._db.value("SELECT max(finished_at) FROM crawls WHERE state = 'completed'")
        return None if found is None else int(found)

    def lines(self, source_id: str, crawl: Crawl) -> list[CrawlLine]:
        rows = self._db.execute(
            # The last line of every address. A change takes precedence over "same": over other lines of one answer, and
            # over a second check in the same run.
            "WITH mine AS (SELECT *, max(iif(change IN ('same', 'error', 'skipped'), 0, 1)) OVER (PARTITION BY url) "
            "AS telling FROM run_items WHERE seq > ?2 AND (?3 IS NULL OR seq <= ?3) AND source_id = ?1), "
            "words AS (SELECT *, row_number() OVER (PARTITION BY url ORDER BY change = 'same' AND telling = 1, "
            "at DESC, change <> 'same' DESC, seq DESC) AS nth FROM mine), "
            "known AS MATERIALIZED (SELECT url, min(purpose) AS purpose, max(document_id) AS document_id "
            "FROM requests WHERE source_id = ?1 GROUP BY url) "
            f"SELECT {_LINE} FROM words LEFT JOIN known ON known.url = words.url "
            "LEFT JOIN documents ON documents.id = coalesce(nullif(words.document_id, ''), known.document_id) "
            "LEFT JOIN revisions ON revisions.id = documents.revision_id WHERE nth = 1 ORDER BY seq",
            (source_id, crawl.first_seq, crawl.last_seq),
        )
        return list(map(_LINE, rows))

    def choose(self, source_id: str, choice: CrawlChoice, now: int, request_id: str = "", *, part: Part = "all") -> int:
        which = _CHOSEN[choice.mode] if part == "all" else f"{_CHOSEN[choice.mode]} AND {_PARTS[part]}"
        with self._db.write():
            self._db.execute("UPDATE requests SET parked = 1 WHERE source_id = ?", (source_id,))
            # Clear the validators: a redirect loop is only found by following the redirects.
            self._db.execute(
                "UPDATE requests SET etag = '', last_modified = '', raw_hash = '' WHERE source_id = ?1 AND url IN "
                "(SELECT url FROM run_items WHERE source_id = ?1 AND code = 'redirect_loop')",
                (source_id,),
            )
            self._db.execute(
                "UPDATE requests SET parked = 0, due_at = :now, wakes = wakes + 1, attempts = 0 "
                f"{_ANEW if choice.mode == 'full' else ''} WHERE source_id = :source AND {which}",
                {"source": source_id, "now": now, "since": choice.since_at, "request": request_id},
            )
            return self._db.changes()

    def waiting(self, source_id: str, now: int) -> list[str]:
        due = "SELECT url FROM requests WHERE source_id = ? AND due_at <= ? AND parked = 0"
        return self._db.column(due, (source_id, now))

    def requests(self, source_id: str) -> list[Request]:
        rows = self._db.execute("SELECT id, url, purpose, depth FROM requests WHERE source_id = ?", (source_id,))
        return [Request(id=row[0], source_id=source_id, url=row[1], purpose=row[2], depth=row[3]) for row in rows]

    def forget(self, request_ids: Sequence[str]) -> None:
        self._db.execute(
            "DELETE FROM requests WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(list(request_ids)),)
        )

    def next_due(self, source_id: str) -> int | None:
        found = self._db.value("SELECT min(due_at) FROM requests WHERE source_id = ? AND parked = 0", (source_id,))
        return None if found is None else int(found)

    def _crawl(self, row: Row) -> Crawl:
        return _CRAWL(row, dossier_id=self._dossier_id)


_LAST_SEQ = "(SELECT coalesce(max(seq), 0) FROM run_items)"
#: Clear the validators: a full run does not rely on the server's word that nothing changed.
_ANEW = ", etag = '', last_modified = '', raw_hash = ''"
_IN_HISTORY = (
    "(url IN (SELECT url FROM run_items WHERE source_id = :source AND at >= :since AND {0}) OR "
    "coalesce(document_id, '') IN (SELECT document_id FROM run_items "
    "WHERE source_id = :source AND at >= :since AND document_id <> '' AND {0}))"
)
_CHOSEN = {
    "normal": "every > 0",
    "full": "every > 0",
    "since": f"every > 0 AND NOT {_IN_HISTORY.format('change <> ' + repr('error'))}",
    # A repeated failure is a line of another kind, so the request itself tells whether its last check failed.
    "retry": f"(failed_with <> '' AND {_IN_HISTORY.format('true')} OR "
    f"{_IN_HISTORY.format('code = ' + repr('redirect_loop'))})",
    "url": "id = :request",
}
#: What an earlier run should have checked and did not, and what this run has not checked yet.
_PARTS = {"rest": "due_at <= :now", "others": f"NOT {_IN_HISTORY.format('true')}"}
