"""Retention in one dossier: which revisions rules may end, and how they are archived and removed."""

from __future__ import annotations

import secrets
from collections import defaultdict
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._part import Columns, Part
from veille.adapters.stores.sqlite._rows import as_json
from veille.adapters.stores.sqlite.archive import write_archive
from veille.adapters.stores.sqlite.bodies import tidied
from veille.adapters.stores.sqlite.meaning.former import hand_down
from veille.adapters.stores.sqlite.read.revisions import STORED, make_whole, revisions_from
from veille.adapters.stores.sqlite.stored_bodies import ANSWER, answer_body
from veille.core.archive.archive_files import packed_answer
from veille.core.archive.content_state import ContentState
from veille.core.archive.retention import AgedDocument, Fate, Version
from veille.core.fingerprint import uuid7
from veille.core.reread.answers import unpacked_facts
from veille.core.schedule import DAY
from veille.failpoints import failpoint

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from veille.adapters.stores.database import Row
    from veille.core.archive.archive_files import ArchivePlace
    from veille.core.models import Json
    from veille.core.records import Revision

#: A sink that delivered nothing for so long is not waited for.
_ACTIVE_MS = 30 * DAY
#: The fields of a revision that are archived.
_ARCHIVED = (
    "id document_id source_id n url title lang content_hash extracted_at published_at meta strategy text html".split()
)
#: The rule of a document: its source's own, or the dossier's.
_RULE = "coalesce(nullif(sources.config ->> 'retention', ''), :rule)"
_AGED = Columns(
    AgedDocument,
    f"documents.row, documents.id, documents.title, documents.url, {_RULE} AS rule, "
    "iif(documents.state = 'removed', documents.changed_at, NULL) AS gone_at, "
    "EXISTS (SELECT 1 FROM marks WHERE document_id = documents.id AND kept_at IS NOT NULL) "
    "OR EXISTS (SELECT 1 FROM shares WHERE document_id = documents.id AND until > :now) "
    "OR EXISTS (SELECT 1 FROM documents AS copies WHERE copies.duplicate_of = documents.id) AS is_wanted",
    is_wanted=bool,
)
#: Changes above this number have not been told to a sink that is still told of changes.
_FLOOR = "(SELECT coalesce(min(seq), (SELECT max(seq) FROM outbox), 0) FROM cursors WHERE delivered_at > :active)"
_VERSION = Columns(
    Version,
    "n, extracted_at AS at, kept, EXISTS (SELECT 1 FROM revisions AS later JOIN outbox ON outbox.document_id = "
    "later.document_id AND outbox.revision_id = later.id WHERE later.document_id = revisions.document_id "
    f"AND later.n BETWEEN revisions.n AND revisions.n + 1 AND seq > {_FLOOR}) AS is_awaited",
    kept=ContentState,
    is_awaited=bool,
)


class SqliteRetention(Part):
    """The port `Retained`."""

    def rule(self) -> str:
        return str(self._db.value("SELECT value FROM options WHERE name = 'retention'") or "")

    def set_rule(self, rule: str) -> None:
        with self._db.write():
            self._db.execute("INSERT OR REPLACE INTO options (name, value) VALUES ('retention', ?)", (rule,))

    def can_archive(self) -> bool:
        return not self._db.is_shared or self._db.files.place is not None

    def has_rules(self) -> bool:
        found = f"SELECT EXISTS (SELECT 1 FROM sources WHERE {_RULE} NOT IN ('', 'all'))"
        return bool(self._db.value(found, {"rule": self.rule()}))

    def aged(
        self, after: int, limit: int, source_id: str = "", *, now: int, rule: str | None = None
    ) -> list[AgedDocument]:
        values = {"after": after, "limit": limit, "source": source_id, "now": now, "active": now - _ACTIVE_MS}
        values["rule"] = self.rule() if rule is None else rule
        rows = self._db.execute(
            f"SELECT {_AGED} FROM documents JOIN sources ON sources.id = documents.source_id "
            "WHERE documents.row > :after AND (rev_n > 1 OR documents.state = 'removed') "
            "AND documents.state IN ('current', 'removed') "
            f"AND (:source = '' OR source_id = :source) AND {_RULE} NOT IN ('', 'all') "
            "ORDER BY documents.row LIMIT :limit",
            values,
        )
        found = self._db.execute(
            f"SELECT document_id, {_VERSION} FROM revisions WHERE document_id IN (SELECT value FROM json_each(:ids)) "
            "ORDER BY document_id, n DESC",
            {"ids": as_json(row[1] for row in rows), "active": values["active"]},
        )
        versions = {
            document_id: tuple(_VERSION(row[1:]) for row in of) for document_id, of in groupby(found, itemgetter(0))
        }
        return [_AGED(row, versions=versions.get(row[1], ())) for row in rows]

    def settle(self, fates: Mapping[str, Mapping[int, Fate]], forgotten: Sequence[str], now: int) -> None:
        archived = {
            document_id: {n for n, fate in of.items() if fate is Fate.ARCHIVE} for document_id, of in fates.items()
        }
        places = self._write_archive({document_id: ns for document_id, ns in archived.items() if ns}, now)
        failpoint("after_archive")
        with self._db.write():
            for document_id, of in fates.items():
                # The newest first: each still has the next one, from which it may have to be restored.
                for n in sorted({n - 1 for n in of} - of.keys(), reverse=True):
                    make_whole(self._db, document_id, n)
            self._note_places(places)
            self._empty(fates)
            if forgotten:
                self._forget(forgotten)
            failpoint("before_commit")

    def tidy(self, now: int) -> int:
        return tidied(self._db, now)

    def _write_archive(self, archived: Mapping[str, set[int]], now: int) -> dict[str, ArchivePlace]:
        """Write these revisions to a new file; where each is, by its id."""
        if not archived:
            return {}
        revisions = self._loaded(archived)
        name = f"{uuid7(now, self._dossier_id, secrets.token_hex(8))}.jsonl.zst"
        documents = {document_id: list(map(self._line, of)) for document_id, of in revisions.items()}
        places = write_archive(self._db, name, documents)
        return {
            one.id: place
            for document_id, of in revisions.items()
            for one, place in zip(of, places[document_id], strict=True)
        }

    def _loaded(self, wanted: Mapping[str, set[int]]) -> dict[str, list[Revision]]:
        rows = self._db.execute(
            f"SELECT {STORED} FROM json_each(?) JOIN revisions ON document_id = value ->> 0 AND n = value ->> 1 "
            "JOIN documents ON documents.id = document_id WHERE kept = 'here' ORDER BY document_id, n DESC",
            (as_json((document_id, n) for document_id, ns in wanted.items() for n in ns),),
        )
        found: dict[str, list[Revision]] = defaultdict(list)
        for one in revisions_from(self._db, rows):
            found[one.document_id].append(one)
        return found

    def _line(self, revision: Revision) -> Json:
        return {name: getattr(revision, name) for name in _ARCHIVED} | self._raw(revision.id)

    def _raw(self, revision_id: str) -> Json:
        """The kept answer of a revision, if there is one."""
        rows = self._db.execute(
            f"SELECT {ANSWER}, facts FROM raw_revisions JOIN raw_answers ON raw_answers.id = answer "
            "JOIN raw_bodies ON raw_bodies.hash = raw_answers.hash WHERE revision_id = ?",
            (revision_id,),
        )
        if not rows:
            return {}
        *kept, facts = rows[0]
        request, payload = unpacked_facts(facts)
        whole = replace(payload, url=request.url, body=answer_body(self._db, kept))
        return {"raw": packed_answer(whole, kept[0])}

    def _note_places(self, places: Mapping[str, ArchivePlace]) -> None:
        self._db.many(
            "INSERT INTO archived_revisions (revision_id, file, start, length, line) VALUES (?, ?, ?, ?, ?)",
            [(revision_id, at.file, at.start, at.length, at.line) for revision_id, at in places.items()],
        )

    def _empty(self, fates: Mapping[str, Mapping[int, Fate]]) -> None:
        """Take away the contents of revisions, and what was kept with them."""
        rows: list[Row] = sorted(
            (document_id, n, ContentState.ARCHIVED if fate is Fate.ARCHIVE else ContentState.REMOVED)
            for document_id, of in fates.items()
            for n, fate in of.items()
        )
        self._db.many(
            "UPDATE revisions SET kept = ?3, text = x'', html = x'', delta = 0 WHERE document_id = ?1 AND n = ?2 "
            "AND id <> (SELECT revision_id FROM documents WHERE documents.id = ?1)",
            rows,
        )
        of_one = "revision_id = (SELECT id FROM revisions WHERE document_id = ?1 AND n = ?2)"
        self._db.many(f"DELETE FROM raw_revisions WHERE {of_one}", [row[:2] for row in rows])
        hand_down(self._db, [row[:2] for row in rows])
        removed = [row[:2] for row in rows if row[2] == ContentState.REMOVED]
        self._db.many(f"DELETE FROM archived_revisions WHERE {of_one}", removed)
        # A picture also stands for the following revisions that look the same: the next one takes it over.
        self._db.many(
            "UPDATE revision_pictures SET revision_id = "
            f"(SELECT id FROM revisions WHERE document_id = ?1 AND n = ?2 + 1) WHERE {of_one} "
            "AND EXISTS (SELECT 1 FROM revisions WHERE document_id = ?1 AND n = ?2 + 1 AND NOT EXISTS "
            "(SELECT 1 FROM revision_pictures AS others WHERE others.revision_id = revisions.id))",
            removed,
        )
        self._db.many(f"DELETE FROM revision_pictures WHERE {of_one}", removed)

    def _forget(self, document_ids: Iterable[str]) -> None:
        ids = as_json(document_ids)
        chosen = "(SELECT value FROM json_each(?))"
        self._db.execute(f"UPDATE requests SET document_id = NULL WHERE document_id IN {chosen}", (ids,))
        self._db.execute(f"DELETE FROM documents WHERE id IN {chosen} AND state = 'removed'", (ids,))
