"""Reading the documents of one dossier and their revisions."""

from __future__ import annotations

import json
from contextlib import suppress
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._part import END, Columns, Part
from veille.adapters.stores.sqlite._rows import REVISION_LINE, TAGGED, as_json
from veille.adapters.stores.sqlite.beginnings import id_beginning
from veille.adapters.stores.sqlite.read.revisions import STORED, history_from, revisions_from
from veille.adapters.stores.sqlite.read.views import SHARED
from veille.core.archive.content_state import ContentState, no_content
from veille.core.fingerprint import url_identity
from veille.core.records import DocumentFilter, DocumentLine, Revision, RevisionLine
from veille.core.report.read_share import BarelyRead
from veille.errors import AmbiguousError, ConfigError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


#: The most documents that are scanned for one page of a list, even if few of them match.
_LOOKED_AT = 5000
#: The documents that sources keep apart under the key of a page.
_PARTS = (
    "SELECT DISTINCT document_id FROM sources JOIN identities ON identities.key = 'part:' || sources.id || ':' || :key "
    "ORDER BY document_id"
)
_LAST_FIRST = "ORDER BY documents.changed_at DESC, documents.row DESC"
_LINE = Columns(
    DocumentLine,
    "documents.id, source_id, coalesce(sources.name, '') AS source_name, documents.state, duplicate_of, documents.url, "
    "title, lang, rev_n, published_at, first_seen_at, documents.changed_at",
)
_BARELY_READ = Columns(
    BarelyRead,
    "source_name, pages, url, quality",
)
#: Documents of sources in the trash are nowhere shown.
_NOT_TRASHED = "documents.state NOT GLOB 'trashed*'"
_FROM = "FROM revisions JOIN documents ON documents.id = revisions.document_id"
#: The column of `STORED` that says where the content is; after it come text, HTML and whether they are a delta.
_KEPT = -4
_NUMBER = 3


class SqliteRecords(Part):
    """The port `Records`."""

    def revision(self, document_id: str, n: int | None = None) -> Revision:
        which = "revisions.id = documents.revision_id" if n is None else "n = ?2"
        bindings = (document_id,) if n is None else (document_id, n)
        rows = self._db.execute(
            f"SELECT {STORED} {_FROM} WHERE documents.id = ?1 AND {which} AND {_NOT_TRASHED}", bindings
        )
        if not rows:
            number = "" if n is None else f" with a revision {n}"
            raise NotFoundError(f"There is no document {document_id!r}{number} in this dossier.", code="no_document")
        if rows[0][_KEPT] == ContentState.REMOVED:
            raise no_content(rows[0][_NUMBER], ContentState.REMOVED)
        return revisions_from(self._db, rows)[0]

    def revision_before(self, document_id: str, n: int) -> Revision | None:
        rows = self._db.execute(
            f"SELECT {STORED} {_FROM} WHERE documents.id = ?1 AND n < ?2 AND {_NOT_TRASHED} "
            "AND kept <> 'removed' ORDER BY n DESC LIMIT 1",
            (document_id, n),
        )
        return next(iter(revisions_from(self._db, rows)), None)

    def find(self, id_or_url: str) -> str:
        parts: list[str] = []
        with suppress(ConfigError):
            identity = url_identity(id_or_url)
            if known := self._db.value("SELECT document_id FROM identities WHERE key = ?", (identity,)):
                return str(known)
            # What a source reads of a page, a part or what selectors find, has a key of its own.
            parts = [str(one) for one in self._db.column(_PARTS, {"key": identity})]
            if len(parts) == 1:
                return parts[0]
        if len(parts) > 1:
            raise AmbiguousError(f"Several documents are parts of {id_or_url}", parts, code="ambiguous_document")
        found = id_beginning(self._db, "documents", id_or_url, code="ambiguous_document", label="title", shortest=1)
        if found is None:
            raise NotFoundError(f"There is no document whose id begins with {id_or_url!r}.", code="no_document")
        return found

    def revisions(self, document_id: str) -> list[Revision]:
        rows = self._db.execute(
            f"SELECT {STORED} {_FROM} WHERE documents.id = ? AND {_NOT_TRASHED} ORDER BY n DESC", (document_id,)
        )
        return list(history_from(self._db, rows))

    def revision_lines(self, document_id: str) -> list[RevisionLine]:
        return self._all(
            REVISION_LINE, f"{_FROM} WHERE documents.id = ? AND {_NOT_TRASHED} ORDER BY n DESC", (document_id,)
        )

    def documents(self, source_id: str | None = None, limit: int = 50) -> list[Revision]:
        rows = self._db.execute(
            f"SELECT {STORED} {_FROM} WHERE revisions.id = documents.revision_id AND {_NOT_TRASHED} "
            f"AND {self._shown_by(source_id, '?1')} {_LAST_FIRST} LIMIT ?2",
            (source_id, limit),
        )
        return revisions_from(self._db, rows)

    def page(
        self, before: tuple[int, int] | None, limit: int, source_id: str | None = None
    ) -> list[tuple[tuple[int, int], RevisionLine]]:
        changed_at, row = before or (END, END)
        rows = self._db.execute(
            f"SELECT documents.changed_at, documents.row, {REVISION_LINE} {_FROM} "
            f"WHERE revisions.id = documents.revision_id AND {_NOT_TRASHED} AND {self._shown_by(source_id, '?3')} "
            f"AND (documents.changed_at, documents.row) < (?1, ?2) {_LAST_FIRST} LIMIT ?4",
            (changed_at, row, source_id, limit),
        )
        return [((row[0], row[1]), REVISION_LINE(row[2:])) for row in rows]

    def lines(
        self, wanted: DocumentFilter, before: tuple[int, int] | None, limit: int
    ) -> tuple[list[DocumentLine], tuple[int, int] | None]:
        narrow, wide = _conditions(wanted)
        if wanted.source_id:
            narrow += f" AND {self._shown_by(wanted.source_id, ':source')}"
        at, row = before or (END, END)
        bindings = {
            "at": at,
            "row": row,
            "source": wanted.source_id,
            "lang": wanted.lang,
            "tag": wanted.tag,
            "only": json.dumps(wanted.only),
            "limit": limit,
            "most": _LOOKED_AT,
        }
        near = f"FROM documents WHERE (changed_at, row) < (:at, :row) {narrow} {_LAST_FIRST}"
        looked = f"(SELECT * {near} LIMIT :most)" if wanted.only is None else f"(SELECT * {near})"
        rows = self._db.execute(
            f"SELECT {_LINE}, row FROM {looked} AS documents LEFT JOIN sources ON sources.id = source_id "
            f"WHERE true {wide} {_LAST_FIRST} LIMIT :limit",
            bindings,
        )
        found = [_LINE(row, place=row[-2:]) for row in rows]
        if len(found) == limit:
            return found, found[-1].place
        if wanted.only is not None:
            return found, None
        ends = self._db.execute(f"SELECT changed_at, row {near} LIMIT 1 OFFSET :most", bindings)
        return found, (ends[0][0], ends[0][1] + 1) if ends else None

    def languages(self) -> list[str]:
        return self._db.column(
            "SELECT DISTINCT lang FROM (SELECT lang FROM documents ORDER BY changed_at DESC LIMIT 1000) "
            "WHERE lang <> '' ORDER BY lang"
        )

    def history(self, document_id: str, before: int | None, limit: int) -> Iterator[Revision]:
        rows = self._db.execute(
            f"SELECT {STORED} {_FROM} WHERE documents.id = ?1 AND n < ?2 AND {_NOT_TRASHED} ORDER BY n DESC LIMIT ?3",
            (document_id, END if before is None else before, limit),
        )
        return history_from(self._db, rows)

    def times(self, document_id: str, limit: int) -> dict[int, int]:
        newest = "SELECT n, extracted_at FROM revisions WHERE document_id = ? ORDER BY n DESC LIMIT ?"
        return dict(self._db.execute(newest, (document_id, limit)))

    def latest(self, source_id: str | None = None, limit: int = 50) -> list[Revision]:
        # Ids begin with their creation time, so they sort by it.
        rows = self._db.execute(
            f"SELECT {STORED} {_FROM} WHERE {_NOT_TRASHED} AND {self._shown_by(source_id, '?1')} "
            "AND kept = 'here' ORDER BY revisions.id DESC LIMIT ?2",
            (source_id, limit),
        )
        return revisions_from(self._db, rows)

    def tags(self, document_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        rows = self._db.execute(
            "SELECT document_id, tag FROM document_tags WHERE document_id IN (SELECT value FROM json_each(?)) "
            "ORDER BY document_id, tag",
            (as_json(document_ids),),
        )
        return {document_id: tuple(tag for _, tag in of) for document_id, of in groupby(rows, key=itemgetter(0))}

    def totals(self) -> dict[str, int]:
        tables = {"sources": "sources", "revisions": "revisions", "checks": "run_items"}
        return {name: self._db.value(f"SELECT count(*) FROM {table}") for name, table in tables.items()}

    def walk(self, after: int, limit: int) -> list[tuple[int, Revision]]:
        rows = self._db.execute(
            f"SELECT documents.row, {STORED} {_FROM} WHERE revisions.id = documents.revision_id "
            "AND documents.state = 'current' AND documents.row > ? ORDER BY documents.row LIMIT ?",
            (after, limit),
        )
        return list(zip([row[0] for row in rows], revisions_from(self._db, [row[1:] for row in rows]), strict=True))

    def _shown_by(self, source_id: str | None, binding: str) -> str:
        """A condition that can use the index of a source's documents; without a source it still uses the binding."""
        if source_id is None:
            return f"{binding} IS NULL"
        own = f"documents.source_id = {binding}"
        is_shared = self._db.value("SELECT EXISTS (SELECT 1 FROM views WHERE source_id = ?)", (source_id,))
        return f"({own} OR documents.id IN ({SHARED.format(binding)}))" if is_shared else own

    def health(self, now: int) -> dict[str, object]:
        one, soundness = self._db.value, self._db.soundness()
        return {
            "integrity": soundness.integrity,
            "foreign_keys": soundness.dangling,
            "sources": one("SELECT count(*) FROM sources WHERE trashed_at IS NULL"),
            "documents": one(f"SELECT count(*) FROM documents WHERE state <> 'duplicate' AND {_NOT_TRASHED}"),
            "duplicates": one("SELECT count(*) FROM documents WHERE state = 'duplicate'"),
            "revisions": one("SELECT count(*) FROM revisions"),
            "archived": one("SELECT count(*) FROM archived_revisions"),
            "raw_bodies": one("SELECT count(*) FROM raw_bodies"),
            "raw_bytes": one("SELECT coalesce(sum(length(data)), 0) FROM raw_bodies"),
            "indexed": soundness.indexed,
            "changes": one("SELECT count(*) FROM outbox"),
            "requests": one("SELECT count(*) FROM requests"),
            "leased": one("SELECT count(*) FROM requests WHERE lease_until > ?", (now,)),
            "stale_leases": one(
                "SELECT count(*) FROM requests WHERE lease_owner IS NOT NULL AND lease_until <= ?", (now,)
            ),
        }

    def barely_read(self, least: float) -> list[BarelyRead]:
        return self._all(
            _BARELY_READ,
            "FROM (SELECT sources.name AS source_name, count(*) FILTER (WHERE quality < ?1) OVER of_source AS pages, "
            "count(*) OVER of_source AS read, documents.url, quality, "
            "row_number() OVER (PARTITION BY documents.source_id ORDER BY quality) AS place "
            "FROM documents JOIN revisions ON revisions.id = revision_id "
            "JOIN sources ON sources.id = documents.source_id "
            "WHERE documents.state = 'current' AND quality IS NOT NULL "
            "WINDOW of_source AS (PARTITION BY documents.source_id)) "
            "WHERE place = 1 AND 2 * pages >= read ORDER BY quality",
            (least,),
        )


def _conditions(wanted: DocumentFilter) -> tuple[str, str]:
    """The conditions that an index answers, and those that are checked for each document."""
    narrow = wide = ""
    wide += f" AND {_NOT_TRASHED}"
    if wanted.tag:
        wide += f" AND {TAGGED.format(source='documents.source_id', document='documents.id', tag=':tag')}"
    if wanted.only is not None:
        narrow += " AND id IN (SELECT value FROM json_each(:only))"
    if not wanted.source_id and wanted.state in {"removed", "duplicate"}:
        narrow += f" AND state = '{wanted.state}' AND state <> 'current'"
    if wanted.state in {"current", "removed", "duplicate"}:
        wide += f" AND documents.state = '{wanted.state}'"
    elif wanted.only is None:
        wide += " AND documents.state <> 'duplicate'"
    if wanted.lang:
        wide += " AND lang = :lang"
    return narrow, wide
