"""What the documents of one dossier are about, with the labels they are found by and the addresses they link to."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._part import Columns, Part
from veille.adapters.stores.sqlite._rows import as_json
from veille.adapters.stores.sqlite.analyse.signals import target_of
from veille.adapters.stores.sqlite.read.revisions import STORED, revisions_from
from veille.adapters.stores.sqlite.search.vocabulary import Vocabulary
from veille.core.analyse.records import AnalysisCounts, StoredAnalysis, analysis_from, packed_analysis
from veille.core.fingerprint import url_identity
from veille.errors import ConfigError

if TYPE_CHECKING:
    from veille.core.records import Revision

#: The most links of a document that are remembered: a page with more is a directory.
MOST_LINKS = 200
_ANALYSIS = Columns(
    StoredAnalysis,
    "analyses.document_id, analyses.revision_id, analyses.content_hash, version, made_by, made_at, record AS analysis, "
    "code, attempts, is_open, revisions.n AS rev_n",
    analysis=analysis_from,
    is_open=bool,
)
_WAITS = (
    "NOT EXISTS (SELECT 1 FROM analyses WHERE analyses.revision_id = documents.revision_id AND version = :version "
    "AND analyses.content_hash = documents.content_hash AND is_open = 0)"
)
_BRANDS = "brands"
_SWITCH, _ON = "analyse", "on"


class SqliteAnalyses(Part):
    """The port `Analyses`."""

    _vocabulary = Vocabulary

    def of(self, document_ids: Sequence[str]) -> dict[str, StoredAnalysis]:
        found = self._all(
            _ANALYSIS,
            "FROM json_each(?) AS asked JOIN documents ON documents.id = asked.value "
            "JOIN analyses ON analyses.revision_id = documents.revision_id "
            "JOIN revisions ON revisions.id = documents.revision_id ORDER BY made_at, version",
            (as_json(document_ids),),
        )
        return {one.document_id: one for one in found}

    def all_of(self, document_ids: Sequence[str]) -> list[StoredAnalysis]:
        return self._all(
            _ANALYSIS,
            "FROM json_each(?) AS asked JOIN analyses ON analyses.document_id = asked.value "
            "JOIN revisions ON revisions.id = revision_id WHERE NOT EXISTS (SELECT 1 FROM analyses AS later "
            "JOIN revisions AS newer ON newer.id = later.revision_id WHERE later.document_id = analyses.document_id "
            "AND later.version = analyses.version AND newer.n > revisions.n) ORDER BY asked.key, made_at, version",
            (as_json(document_ids),),
        )

    def are_there(self) -> bool:
        return bool(self._db.value("SELECT EXISTS (SELECT 1 FROM analyses)"))

    def counts(self, version: str) -> AnalysisCounts:
        rows = self._db.execute(
            f"SELECT count(*), count(*) FILTER (WHERE {_WAITS}) FROM documents WHERE state = 'current'",
            {"version": version},
        )
        total, waiting = rows[0]
        return AnalysisCounts(analysed=total - waiting, waiting=waiting)

    def waiting(
        self, version: str, after: int, limit: int, source_id: str = "", *, only: Sequence[str] | None = None
    ) -> list[tuple[int, Revision]]:
        among = "" if only is None else "AND documents.id IN (SELECT value FROM json_each(:only))"
        rows = self._db.execute(
            f"SELECT documents.row, {STORED} FROM documents JOIN revisions ON revisions.id = documents.revision_id "
            "WHERE documents.state = 'current' AND documents.row > :after "
            f"AND (:source = '' OR documents.source_id = :source) {among} AND {_WAITS} "
            "ORDER BY documents.row LIMIT :limit",
            {"version": version, "after": after, "limit": limit, "source": source_id}
            | ({} if only is None else {"only": as_json(only)}),
        )
        return list(zip([row[0] for row in rows], revisions_from(self._db, [row[1:] for row in rows]), strict=True))

    def put(self, made: Sequence[StoredAnalysis], links: Mapping[str, Sequence[str]]) -> int:
        saved = 0
        with self._db.write():
            for one in made:
                rows = self._db.execute(
                    "SELECT row FROM documents WHERE id = ? AND revision_id = ? AND content_hash = ?",
                    (one.document_id, one.revision_id, one.content_hash),
                )
                if rows:
                    self._save(one, rows[0][0], links.get(one.document_id, ()))
                    saved += 1
        return saved

    def _save(self, made: StoredAnalysis, row: int, links: Sequence[str]) -> None:
        facts = (
            made.made_by,
            made.made_at,
            made.code,
            made.attempts,
            int(made.is_open),
            packed_analysis(made.analysis),
        )
        self._db.execute(
            "INSERT OR REPLACE INTO analyses (revision_id, version, document_id, content_hash, made_by, made_at, code, "
            "attempts, is_open, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (made.revision_id, made.version, made.document_id, made.content_hash, *facts),
        )
        given = (("topic", made.analysis.topics), ("tag", made.analysis.tags))
        labels = {(kind, label.casefold()) for kind, labels in given for label in labels}
        self._db.execute("DELETE FROM document_labels WHERE document = ?", (row,))
        self._db.many(
            "INSERT INTO document_labels (kind, label, document) VALUES (?, ?, ?)",
            [(*label, row) for label in sorted(labels)],
        )
        self._db.execute("DELETE FROM document_links WHERE document = ?", (row,))
        self._db.many("INSERT INTO document_links VALUES (?, ?)", [(one, row) for one in sorted(_targets(links))])

    def words(self, words: Sequence[str]) -> tuple[int, dict[str, int]]:
        total = self._db.value("SELECT count(*) FROM documents WHERE state = 'current'")
        return int(total), self._vocabulary(self._db).counts(words)

    def is_on(self) -> bool:
        return bool(self._db.value("SELECT value = ? FROM options WHERE name = ?", (_ON, _SWITCH)))

    def switch(self, *, is_on: bool) -> None:
        self._db.execute("INSERT OR REPLACE INTO options VALUES (?, ?)", (_SWITCH, _ON if is_on else "off"))

    def brands(self) -> tuple[str, ...]:
        kept = self._db.value("SELECT value FROM options WHERE name = ?", (_BRANDS,))
        return tuple(json.loads(kept)) if kept else ()

    def set_brands(self, brands: Sequence[str]) -> None:
        self._db.execute("INSERT OR REPLACE INTO options VALUES (?, ?)", (_BRANDS, as_json(brands)))


def _targets(links: Sequence[str]) -> set[int]:
    found = set()
    for url in links[:MOST_LINKS]:
        try:
            found.add(target_of(url_identity(url)))
        except ConfigError:
            # A link that is no address.
            continue
    return found
