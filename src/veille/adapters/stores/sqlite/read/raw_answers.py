"""Kept answers: their rows and bodies, and the option that says which are kept."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._part import Part
from veille.adapters.stores.sqlite._rows import KEEP_RAW, as_json
from veille.adapters.stores.sqlite.archive import archived_answer
from veille.adapters.stores.sqlite.stored_bodies import ANSWER, answer_body
from veille.core.models import KeepRaw
from veille.core.reread.answers import KeptAnswer, KeptRevision, WantedAnswers, unpacked_facts
from veille.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from veille.adapters.stores.database import Database, Row
    from veille.core.models import Request
    from veille.core.traffic import Payload

#: Answers of a source that are looked at for one from a certain address.
_MOST_LOOKED_AT = 50
#: The sources that are asked for. Materialized, so that SQLite makes an index of them: there may be thousands.
_ASKED = "WITH asked AS MATERIALIZED (SELECT value ->> 0 AS source, value ->> 1 AS wanted FROM json_each(:options))"
#: An answer in scope, and whether the wanted reader has still to read it.
_IN_SCOPE = "raw_answers JOIN asked ON source = source_id AND fetched_at >= :since"
_WAITS = "(:again = 1 OR read_by <> :reader OR options <> wanted)"


class SqliteRawAnswers(Part):
    """The port `RawAnswers`."""

    def default(self) -> KeepRaw:
        return KeepRaw(self._db.value("SELECT value FROM options WHERE name = 'keep_raw'") or KeepRaw.NONE)

    def set_default(self, keep: KeepRaw) -> None:
        with self._db.write():
            self._db.execute("INSERT OR REPLACE INTO options (name, value) VALUES ('keep_raw', ?)", (keep,))
            ids = self._db.column("SELECT id FROM sources WHERE coalesce(config ->> 'keep_raw', '') = ''")
            drop_unkept(self._db, ids)
            if keep is not KeepRaw.NONE:
                # As after any change of options: without validators the next answer is a whole one, which can be kept.
                self._db.execute(
                    "UPDATE requests SET etag = '', last_modified = '', raw_hash = '' "
                    "WHERE source_id IN (SELECT value FROM json_each(?))",
                    (as_json(ids),),
                )

    def waiting(self, wanted: WantedAnswers, after: str, limit: int) -> list[KeptAnswer]:
        rows = self._db.execute(
            f"{_ASKED} SELECT raw_answers.id, source_id, raw_answers.hash, size, reads, "
            "(SELECT json_group_array(json_array(revision_id, document_id, n, raw_revisions.key)) FROM raw_revisions "
            "JOIN revisions ON revisions.id = revision_id WHERE answer = raw_answers.id) "
            # In the order of their ids, so that SQLite stops at the limit.
            "FROM raw_answers CROSS JOIN asked ON source = source_id AND fetched_at >= :since "
            "JOIN raw_bodies ON raw_bodies.hash = raw_answers.hash "
            f"WHERE raw_answers.id > :after AND {_WAITS} ORDER BY raw_answers.id LIMIT :limit",
            {"after": after, "limit": limit, **_bindings(wanted)},
        )
        return list(map(_answer, rows))

    def load(self, answer: KeptAnswer) -> tuple[Request, Payload]:
        rows = self._db.execute(
            f"SELECT {ANSWER}, facts FROM raw_answers JOIN raw_bodies ON raw_bodies.hash = raw_answers.hash "
            "WHERE raw_answers.id = ?",
            (answer.id,),
        )
        if not rows:
            raise NotFoundError("This answer was deleted.", code="no_body")
        *kept, facts = rows[0]
        request, payload = unpacked_facts(facts)
        return request, replace(payload, body=answer_body(self._db, kept))

    def archived(self, revision_id: str) -> Payload | None:
        return archived_answer(self._db, revision_id)

    def newest(self, source_id: str, url: str) -> tuple[Request, Payload] | None:
        rows = self._db.execute(
            f"SELECT {ANSWER}, facts FROM raw_answers JOIN raw_bodies ON raw_bodies.hash = raw_answers.hash "
            "WHERE source_id = ? "
            "ORDER BY raw_answers.id DESC LIMIT ?",
            (source_id, _MOST_LOOKED_AT),
        )
        for *kept, facts in rows:
            request, payload = unpacked_facts(facts)
            if request.url == url:
                return request, replace(payload, body=answer_body(self._db, kept))
        return None

    def progress(self, wanted: WantedAnswers) -> dict[str, int]:
        rows = self._db.execute(
            f"{_ASKED} SELECT iif({_WAITS}, 'waiting', outcome) AS found, count(*) FROM {_IN_SCOPE} "
            "JOIN raw_revisions ON answer = raw_answers.id GROUP BY found",
            _bindings(wanted),
        )
        return {outcome: count for outcome, count in rows if outcome}


def drop_unkept(db: Database, source_ids: Iterable[str]) -> None:
    """Delete the kept answers of these sources that their options no longer keep, inside a transaction."""
    # Those of older revisions go with `last`, all with `none`; answers and bodies go with the last of their revisions.
    db.execute(
        "DELETE FROM raw_revisions WHERE revision_id IN (SELECT revision_id FROM raw_answers "
        "JOIN raw_revisions ON answer = raw_answers.id JOIN revisions ON revisions.id = revision_id "
        "JOIN sources ON sources.id = raw_answers.source_id "
        f"WHERE source_id IN (SELECT value FROM json_each(?)) AND iif({KEEP_RAW} = 'last', EXISTS (SELECT 1 "
        "FROM raw_revisions AS others JOIN revisions AS newer ON newer.id = others.revision_id "
        f"WHERE newer.document_id = revisions.document_id AND newer.n > revisions.n), {KEEP_RAW} = 'none'))",
        (as_json(source_ids),),
    )


def _bindings(wanted: WantedAnswers) -> dict[str, object]:
    return {
        "options": as_json(dict(wanted.options).items()),
        "since": wanted.since,
        "again": wanted.again,
        "reader": wanted.reader,
    }


def _answer(row: Row) -> KeptAnswer:
    answer_id, source_id, sha256, size, reads, of = row
    revisions = [KeptRevision(revision_id=one[0], document_id=one[1], n=one[2], key=one[3]) for one in json.loads(of)]
    return KeptAnswer(
        id=answer_id,
        source_id=source_id,
        hash=sha256,
        size=size,
        reads=reads,
        revisions=tuple(sorted(revisions, key=lambda one: one.revision_id)),
    )
