"""Answers to what `decide` asks about documents: a few statements, however many questions there are."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from veille.adapters.stores.sqlite._rows import as_json, marks_from
from veille.adapters.stores.sqlite.commit.quirks import quirks_from
from veille.core.archive.kept_contents import unpacked
from veille.core.change.memory import Answer, Answers, Lookup
from veille.core.change.ownership import Fetch, Owner, is_housed, is_silent, is_watched
from veille.core.change.second_look import Kept
from veille.core.models import Known

if TYPE_CHECKING:
    from collections.abc import Iterable

    from veille.adapters.stores.sqlite._db import Database, Row
    from veille.adapters.stores.sqlite.commit.boilerplate import SqliteBoilerplate

#: The columns of `documents` that a `Known` has under the same names.
_COLUMNS = ("source_id", "content_hash", "rev_n", "state", "title", "url", "facts", "seen_at")
_FIELDS = ("document_id", *_COLUMNS, "repeated")
#: What is in the trash may come again by another source, as what was removed may.
_STATE = "iif(documents.state GLOB 'trashed*', 'removed', documents.state)"
_KNOWN = (
    f"documents.id, {', '.join(_STATE if name == 'state' else f'documents.{name}' for name in _COLUMNS)}, "
    "EXISTS (SELECT 1 FROM documents AS copies WHERE copies.duplicate_of = documents.id)"
)
#: The columns of an `Owner`, and as JSON those of every `Fetch`.
_OWNER = "sources.id, sources.enabled, sources.state, sources.failures"
_OWNED_BY = "JOIN sources ON sources.id = documents.source_id"
_FETCHES = (
    "(SELECT json_group_array(json_array(id, source_id, every, parked, attempts, failed_with)) FROM requests "
    "WHERE document_id = documents.id)"
)


class SqliteMemory(Answers):
    """`recall`, and the port `Memory`, which asks one question at a time."""

    def __init__(self, db: Database, boilerplate: SqliteBoilerplate) -> None:
        super().__init__(self.recall)
        self._db = db
        self._boilerplate = boilerplate

    def recall(self, questions: Iterable[Lookup]) -> dict[Lookup, Answer]:
        kinds: dict[str, list[Lookup]] = defaultdict(list)
        for question in questions:
            kinds[question.about].append(question)
        answers: dict[Lookup, Answer] = {}
        for about, asked in kinds.items():
            answers.update(getattr(self, f"_recall_{about}")(asked))
        return answers

    def _recall_known(self, asked: list[Lookup]) -> dict[Lookup, Answer]:
        by_key = self._by_key(
            f"{_KNOWN}, {_FETCHES}, {_OWNER}", _OWNED_BY, {key for question in asked for key in question.of[0]}
        )
        found = {
            question: row
            for question in asked
            if (row := next((by_key[key] for key in question.of[0] if key in by_key), None))
        }
        seen = self._seen({(row[0], question.of[1]) for question, row in found.items()})
        return dict.fromkeys(asked) | {
            question: _known(row, seen.get((row[0], question.of[1]), {}), question.of[2])
            for question, row in found.items()
        }

    def _seen(self, pairs: set[tuple[str, str]]) -> dict[tuple[str, str], dict[str, Any]]:
        """For each (document, source): whether the source saw it, and its own view if another source owns the text."""
        rows = self._db.execute(
            "SELECT asked.value ->> 0, asked.value ->> 1, sightings.source_id IS NOT NULL, views.content_hash, "
            "views.title FROM json_each(?) AS asked "
            "LEFT JOIN sightings ON sightings.document_id = asked.value ->> 0 "
            "AND sightings.source_id = asked.value ->> 1 "
            "LEFT JOIN views ON views.document_id = asked.value ->> 0 AND views.source_id = asked.value ->> 1",
            (as_json(pairs),),
        )
        return {
            (document_id, source_id): {"sighted": bool(sighted), "seen": text and (text, title)}
            for document_id, source_id, sighted, text, title in rows
        }

    def _recall_named(self, asked: list[Lookup]) -> dict[Lookup, Answer]:
        by_key = self._by_key(
            f"{_KNOWN}, originals.id, coalesce(originals.url, documents.url)",
            "LEFT JOIN documents AS originals ON originals.id = documents.duplicate_of",
            {key for question in asked for key in question.of},
        )
        found = {
            key: _plain(row, home=row[-1], depends=frozenset(filter(None, row[-2:-1]))) for key, row in by_key.items()
        }
        return {question: next((found[key] for key in question.of if key in found), None) for question in asked}

    def _by_key(self, columns: str, join: str, keys: set[str]) -> dict[str, Row]:
        rows = self._db.execute(
            f"SELECT identities.key, {columns} FROM identities JOIN documents ON documents.id = document_id {join} "
            "WHERE identities.key IN (SELECT value FROM json_each(?))",
            (as_json(keys),),
        )
        return {row[0]: row[1:] for row in rows}

    def _recall_unlisted(self, asked: list[Lookup]) -> dict[Lookup, Answer]:
        rows = self._db.execute(
            "WITH asked AS MATERIALIZED (SELECT key AS place, value ->> 0 AS source, value -> 1 AS keys, "
            "value ->> 2 AS since FROM json_each(?)), listed AS MATERIALIZED (SELECT place, document_id FROM asked "
            "JOIN json_each(keys) AS named JOIN identities ON identities.key = named.value) "
            f"SELECT {_KNOWN}, (SELECT stamp FROM requests WHERE document_id = documents.id "
            "AND requests.source_id = source LIMIT 1), place FROM asked JOIN documents ON documents.source_id = source "
            "WHERE state = 'current' AND (since IS NULL OR seen_at < since) AND (place, documents.id) NOT IN listed "
            "ORDER BY documents.row",
            (as_json(question.of for question in asked),),
        )
        found: list[list[Known]] = [[] for _ in asked]
        for *row, stamp, place in rows:
            found[place].append(_plain(tuple(row), stamp=stamp or ""))
        return dict(zip(asked, map(tuple, found), strict=True))

    def _recall_twin(self, asked: list[Lookup]) -> dict[Lookup, Answer]:
        rows = self._db.execute(
            f"SELECT {_KNOWN} FROM json_each(?) AS asked JOIN documents ON documents.row = (SELECT row FROM documents "
            "WHERE content_hash = asked.value AND state = 'current' LIMIT 1)",
            (as_json(question.of[0] for question in asked),),
        )
        found = {one.content_hash: one for one in map(_plain, rows)}
        return {question: found.get(question.of[0]) for question in asked}

    def _recall_owned(self, asked: list[Lookup]) -> dict[Lookup, Answer]:
        rows = self._db.execute(
            f"SELECT requests.id, {_KNOWN}, {_FETCHES}, {_OWNER} FROM json_each(?) AS asked "
            "JOIN requests ON requests.id = asked.value JOIN documents ON documents.id = requests.document_id "
            f"{_OWNED_BY}",
            (as_json(question.of[0] for question in asked),),
        )
        found = {row[0]: _known(row[1:], {}, row[0]) for row in rows}
        return {question: found.get(question.of[0]) for question in asked}

    def _recall_kept(self, asked: list[Lookup]) -> dict[Lookup, Answer]:
        # Compare what a source sees with what the same source saw before.
        rows = self._db.execute(
            "SELECT documents.id, asked.value ->> 1, quirks.quirks, rev_n, "
            "iif(views.text IS NULL, revisions.title, views.title), coalesce(views.text, revisions.text), "
            "iif(views.text IS NULL, extracted_at, views.at), iif(views.text IS NULL, beside, x''), "
            "coalesce(revisions.meta ->> 'summary', '') "
            "FROM json_each(?) AS asked JOIN documents ON documents.id = asked.value ->> 0 AND state = 'current' "
            "JOIN revisions ON revisions.id = revision_id LEFT JOIN quirks ON quirks.document_id = documents.id "
            "LEFT JOIN views ON views.document_id = documents.id AND views.source_id = asked.value ->> 1",
            (as_json(question.of for question in asked),),
        )
        found = {
            (document_id, source_id): Kept(
                title=title,
                text=unpacked(text),
                at=at,
                rev_n=rev_n,
                quirks=quirks_from(quirks),
                beside=marks_from(beside),
                summary=str(summary),
            )
            for document_id, source_id, quirks, rev_n, title, text, at, beside, summary in rows
        }
        return {question: found.get(question.of) for question in asked}

    def _recall_boilerplate(self, asked: list[Lookup]) -> dict[Lookup, Answer]:
        found = self._boilerplate.of([question.of[0] for question in asked])
        return {question: found[question.of[0]] for question in asked}


def _plain(row: Row, **more: Any) -> Known:
    values = dict(zip(_FIELDS, row, strict=False))
    return Known(**{**values, "repeated": bool(values["repeated"])}, **more)


def _known(row: Row, seen: dict[str, Any], request_id: str) -> Known:
    """From the columns of `_KNOWN`, `_FETCHES` and `_OWNER`, from the point of view of the asking request."""
    owner, fetches = Owner(*row[-4:]), [Fetch(*one) for one in json.loads(row[-5])]
    return _plain(
        row,
        watched=is_watched(owner, fetches),
        silent=is_silent(owner, fetches),
        housed=is_housed(request_id, fetches),
        depends=frozenset((owner.source_id, *(one for fetch in fetches for one in fetch[:2]))),
        **seen,
    )
