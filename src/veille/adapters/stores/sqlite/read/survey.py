"""The status of a dossier's sources, for tables."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._part import Part
from veille.adapters.stores.sqlite._rows import SOURCE
from veille.adapters.stores.sqlite.read.views import SHARED
from veille.core.models import Change
from veille.core.report.source_status import IDLE_MS, MOST, Census, Progress, SourceFilter, SourceStatus
from veille.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from veille.adapters.stores.database import Row

_FAILING = "(enabled = 1 AND state IN ('error', 'broken', 'suspect'))"
_IDLE = "(enabled = 1 AND coalesce(changed_at, created_at) < :idle)"
_HEALTH = {"all": "true", "failing": _FAILING, "paused": "enabled = 0", "idle": _IDLE}
_STANDING = (
    f"SELECT {SOURCE}, "
    "(SELECT count(*) FROM (SELECT 1 FROM documents WHERE source_id = sources.id AND state = 'current' "
    f"UNION ALL SELECT 1 FROM documents WHERE id IN ({SHARED.format('sources.id')}) AND source_id <> sources.id "
    "AND state = 'current' LIMIT :most)), "
    "(SELECT min(due_at) FROM requests WHERE source_id = sources.id AND purpose = 'root' AND parked = 0), "
    "muted_until FROM sources"
)


class SqliteSurvey(Part):
    """The port `Survey`."""

    def page(self, wanted: SourceFilter, now: int, after: tuple[str, str] | None, limit: int) -> list[SourceStatus]:
        name, source_id = after or ("", "")
        rows = self._db.execute(
            # Select the ids first: documents are counted only for the sources of this page.
            f"{_STANDING} WHERE id IN (SELECT id FROM sources WHERE trashed_at IS NULL AND {_HEALTH[wanted.health]} "
            "AND (:tag = '' OR id IN (SELECT source_id FROM source_tags WHERE tag = :tag)) "
            "AND (:kind = '' OR kind = :kind) "
            "AND (:words = '' OR instr(lower(name), :words) > 0 OR instr(lower(url), :words) > 0) "
            "AND (lower(name), id) > (lower(:name), :id) ORDER BY lower(name), id LIMIT :limit) "
            "ORDER BY lower(name), id",
            {
                "kind": wanted.kind,
                "tag": wanted.tag,
                "words": wanted.words.lower(),
                "name": name,
                "id": source_id,
                "limit": limit,
                "most": MOST,
                "idle": now - IDLE_MS,
            },
        )
        return list(map(_standing, rows))

    def one(self, source_id: str) -> SourceStatus:
        rows = self._db.execute(f"{_STANDING} WHERE id = :id AND trashed_at IS NULL", {"id": source_id, "most": MOST})
        if not rows:
            raise NotFoundError("There is no such source in this dossier.", code="no_source")
        return _standing(rows[0])

    def census(self, now: int) -> list[Census]:
        rows = self._db.execute(
            f"SELECT kind, count(*), count(*) FILTER (WHERE {_FAILING}), count(*) FILTER (WHERE enabled = 0), "
            f"count(*) FILTER (WHERE {_IDLE}) FROM sources "
            "WHERE trashed_at IS NULL GROUP BY kind ORDER BY kind",
            {"idle": now - IDLE_MS},
        )
        return [
            Census(kind=kind, all=all_, failing=failing, paused=paused, idle=idle)
            for kind, all_, failing, paused, idle in rows
        ]

    def activity(self, source_ids: Sequence[str], first_day: int) -> dict[str, dict[int, int]]:
        found: dict[str, dict[int, int]] = {}
        rows = self._db.execute(
            "SELECT source_id, day - ?2, changes FROM source_days "
            "WHERE source_id IN (SELECT value FROM json_each(?1)) AND day >= ?2",
            (json.dumps(list(source_ids)), first_day),
        )
        for source_id, number, count in rows:
            found.setdefault(source_id, {})[number] = count
        return found

    def progress(self, source_id: str, since: int, now: int) -> Progress:
        counts = self._db.execute(
            "SELECT change, sum(documents) FROM run_items WHERE source_id = ? AND at >= ? AND documents > 0 "
            "GROUP BY change",
            (source_id, since),
        )
        waiting = self._db.value(
            # By due time: few requests are due, but a large site may have very many.
            "SELECT count(*) FROM (SELECT 1 FROM requests INDEXED BY requests_due "
            "WHERE due_at <= ? AND due_at IS NOT NULL AND parked = 0 AND source_id = ? LIMIT ?)",
            (now, source_id, MOST),
        )
        return Progress(counts={Change(change): int(count) for change, count in counts}, waiting=int(waiting))


def _standing(row: Row) -> SourceStatus:
    return SourceStatus(source=SOURCE(row[:-3]), documents=row[-3], next_at=row[-2], muted_until=row[-1])
