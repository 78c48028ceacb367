"""The tags of a dossier: of its sources, and of single documents."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from veille.adapters.stores.sqlite._part import Part
from veille.adapters.stores.sqlite.daily.marks import LOOKED_AT, UNREAD
from veille.core.report.tags import MOST_TAGS, TagUse

#: The tags of documents, by a step in the index from each tag to the next: documents are many, tags are few.
_OF_DOCUMENTS = (
    "WITH RECURSIVE found (tag) AS (SELECT min(tag) FROM document_tags UNION ALL SELECT (SELECT min(tag) "
    "FROM document_tags WHERE tag > found.tag) FROM found WHERE found.tag IS NOT NULL) "
    "SELECT tag FROM found WHERE tag IS NOT NULL LIMIT ?"
)


class SqliteTags(Part):
    """The port `Tags`."""

    def used(self, user_id: str) -> list[TagUse]:
        sources: dict[str, int] = dict(
            self._db.execute("SELECT tag, count(*) FROM source_tags GROUP BY tag ORDER BY tag LIMIT ?", (MOST_TAGS,))
        )
        names = sorted({*sources, *self._db.column(_OF_DOCUMENTS, (MOST_TAGS,))}, key=lambda tag: (tag.casefold(), tag))
        if not names:
            return []
        unread: dict[str, int] = dict(
            self._db.execute(
                f"WITH news AS MATERIALIZED (SELECT documents.id, source_id FROM ({UNREAD}) AS unread "
                "JOIN documents ON documents.id = unread.document_id) "
                "SELECT tag, count(*) FROM (SELECT news.id, tag FROM news JOIN source_tags USING (source_id) "
                "UNION SELECT news.id, tag FROM news JOIN document_tags ON document_id = news.id) GROUP BY tag",
                {"user": user_id, "most": LOOKED_AT},
            )
        )
        return [
            TagUse(name=name, sources=sources.get(name, 0), unread=unread.get(name, 0)) for name in names[:MOST_TAGS]
        ]

    def put_on_sources(self, source_ids: Sequence[str], tag: str, now: int) -> int:
        return self._retag(source_ids, lambda tags: [*tags, *(() if tag in tags else (tag,))], now)

    def drop_from_sources(self, source_ids: Sequence[str], tag: str, now: int) -> int:
        return self._retag(source_ids, lambda tags: [one for one in tags if one != tag], now)

    def _retag(self, source_ids: Sequence[str], change: Callable[[list[str]], list[str]], now: int) -> int:
        with self._db.write():
            rows = self._db.execute(
                "SELECT id, config FROM sources WHERE id IN (SELECT value FROM json_each(?)) AND trashed_at IS NULL",
                (json.dumps(list(source_ids)),),
            )
            changed = []
            for source_id, text in rows:
                config = json.loads(text)
                before = config.get("tags") or []
                config["tags"] = change([before] if isinstance(before, str) else before)
                if config["tags"] != before:
                    config = config if config["tags"] else {key: config[key] for key in config if key != "tags"}
                    changed.append((json.dumps(config), now, source_id))
            self._db.many("UPDATE sources SET config = ?, updated_at = ? WHERE id = ?", changed)
        return len(changed)

    def rename(self, tag: str, other: str, now: int) -> int:
        with self._db.write():
            sources = self._db.column("SELECT source_id FROM source_tags WHERE tag = ?", (tag,))
            if tag == other:
                return len(sources)
            self._retag(
                sources,
                lambda tags: [one for one in dict.fromkeys(other if one == tag else one for one in tags) if one],
                now,
            )
            if other:
                self._db.execute(
                    "INSERT OR IGNORE INTO document_tags SELECT id, ?2 FROM documents "
                    "WHERE id IN (SELECT document_id FROM document_tags WHERE tag = ?1)",
                    (tag, other),
                )
            self._db.execute("DELETE FROM document_tags WHERE tag = ?", (tag,))
            return len(sources) + self._db.changes()

    def put(self, document_ids: Sequence[str], tag: str) -> int:
        with self._db.write():
            self._db.execute(
                "INSERT OR IGNORE INTO document_tags SELECT id, ?2 FROM documents "
                "WHERE id IN (SELECT value FROM json_each(?1))",
                (json.dumps(list(document_ids)), tag),
            )
            return self._db.changes()

    def drop(self, document_ids: Sequence[str], tag: str) -> int:
        with self._db.write():
            self._db.execute(
                "DELETE FROM document_tags WHERE tag = ?2 AND document_id IN (SELECT value FROM json_each(?1))",
                (json.dumps(list(document_ids)), tag),
            )
            return self._db.changes()
