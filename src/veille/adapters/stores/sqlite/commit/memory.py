"""Answers to what `decide` asks about documents: a few statements, however many questions there are."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from veille.adapters.stores.database import Bindings, Row
from veille.adapters.stores.sqlite._rows import as_json, marks_from
from veille.adapters.stores.sqlite.commit.quirks import quirks_from
from veille.core.archive.kept_contents import unpacked
from veille.core.change.memory import Answer, Answers, Lookup
from veille.core.change.ownership import Fetch, Owner, is_housed, is_silent, is_watched
from veille.core.change.second_look import Kept
from veille.core.models import Known

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from veille.adapters.stores.database import Database
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
#: Whether a document is a part of a page, which only its source watches.
_IS_PART = "EXISTS (SELECT 1 FROM identities WHERE document_id = documents.id AND key GLOB 'part:*')"
#: The columns of an `Owner`, and as JSON those of every `Fetch`.
_OWNER = "sources.id, sources.enabled, sources.state, sources.failures"
_OWNED_BY = "JOIN sources ON sources.id = documents.source_id"
_FETCHES = (
    "(SELECT json_group_array(json_array(id, source_id, every, parked, attempts, failed_with)) FROM requests "
    "WHERE document_id = documents.id)"
)

#: A statement with its bindings, and what makes answers of its rows.
Asked = tuple[tuple[str, Bindings], Callable[[list[Row]], dict[Lookup, Answer]]]


class SqliteMemory(Answers):
    """`recall`, and the port `Memory`, which asks one question at a time."""

    def __init__(self, db: Database, boilerplate: SqliteBoilerplate) -> None:
        super().__init__(self.recall)
        self._db = db
        self._boilerplate = boilerplate

    def recall(self, questions: Iterable[Lookup]) -> dict[Lookup, Answer]:
        return self._recalled(questions, self._db.together)

    def _recalled(
        self, questions: Iterable[Lookup], run: Callable[[Sequence[tuple[str, Bindings]]], list[list[Row]]]
    ) -> dict[Lookup, Answer]:
        kinds: dict[str, list[Lookup]] = defaultdict(list)
        for question in questions:
            kinds[question.about].append(question)
        # It is learned, and kept; seldom it has to be read.
        learned = kinds.pop("boilerplate", [])
        asked: list[Asked] = [getattr(self, f"_ask_{about}")(of) for about, of in kinds.items()]
        answers: dict[Lookup, Answer] = {}
        for (_, read), rows in zip(asked, run([statement for statement, _ in asked]), strict=True):
            answers.update(read(rows))
        return answers | self._recall_boilerplate(learned)

    def _ask_known(self, asked: list[Lookup]) -> Asked:
        # Of every key also whether the source saw the document, and its own view if another source owns the text.
        pairs = {(key, question.of[1]) for question in asked for key in question.of[0]}
        statement = (
            "SELECT asked.value ->> 0, asked.value ->> 1, sightings.source_id IS NOT NULL, views.content_hash, "
            f"views.title, {_KNOWN}, {_FETCHES}, {_OWNER} FROM json_each(?) AS asked "
            "JOIN identities ON identities.key = asked.value ->> 0 "
            f"JOIN documents ON documents.id = identities.document_id {_OWNED_BY} "
            "LEFT JOIN sightings ON sightings.document_id = documents.id "
            "AND sightings.source_id = asked.value ->> 1 LEFT JOIN views ON views.document_id = documents.id "
            "AND views.source_id = asked.value ->> 1"
        )

        def answers(rows: list[Row]) -> dict[Lookup, Answer]:
            by_key = {row[:2]: row[2:] for row in rows}
            found: dict[Lookup, Answer] = {}
            for question in asked:
                keys, source_id, request_id = question.of
                row = next((by_key[key, source_id] for key in keys if (key, source_id) in by_key), None)
                if row is None:
                    found[question] = None
                else:
                    sighted, text, title, *rest = row
                    seen = {"sighted": bool(sighted), "seen": text and (text, title)}
                    found[question] = _known(tuple(rest), seen, request_id)
            return found

        return (statement, (as_json(pairs),)), answers

    def _ask_named(self, asked: list[Lookup]) -> Asked:
        statement = (
            f"SELECT identities.key, {_KNOWN}, originals.id, coalesce(originals.url, documents.url) FROM identities "
            "JOIN documents ON documents.id = document_id "
            "LEFT JOIN documents AS originals ON originals.id = documents.duplicate_of "
            "WHERE identities.key IN (SELECT value FROM json_each(?))"
        )

        def answers(rows: list[Row]) -> dict[Lookup, Answer]:
            found = {
                key: _plain(tuple(row), home=row[-1], depends=frozenset(filter(None, row[-2:-1]))) for key, *row in rows
            }
            return {question: next((found[key] for key in question.of if key in found), None) for question in asked}

        return (statement, (as_json({key for question in asked for key in question.of}),)), answers

    def _ask_unlisted(self, asked: list[Lookup]) -> Asked:
        statement = (
            "WITH asked AS MATERIALIZED (SELECT key AS place, value ->> 0 AS source, value -> 1 AS keys, "
            "CAST(value ->> 2 AS INTEGER) AS since FROM json_each(?)), "
            "listed AS MATERIALIZED (SELECT place, document_id FROM asked "
            "CROSS JOIN json_each(keys) AS named JOIN identities ON identities.key = named.value) "
            f"SELECT {_KNOWN}, (SELECT stamp FROM requests WHERE document_id = documents.id "
            "AND requests.source_id = source LIMIT 1), place FROM asked JOIN documents ON documents.source_id = source "
            "WHERE state = 'current' AND (since IS NULL OR seen_at < since) "
            "AND (place, documents.id) NOT IN (SELECT place, document_id FROM listed) ORDER BY documents.row"
        )

        def answers(rows: list[Row]) -> dict[Lookup, Answer]:
            found: list[list[Known]] = [[] for _ in asked]
            for *row, stamp, place in rows:
                found[place].append(_plain(tuple(row), stamp=stamp or ""))
            return dict(zip(asked, map(tuple, found), strict=True))

        return (statement, (as_json(question.of for question in asked),)), answers

    def _ask_twin(self, asked: list[Lookup]) -> Asked:
        # Not in the order of the index of ids: PostgreSQL would read all of it where it has no statistics yet.
        statement = (
            f"SELECT asked.value ->> 1, {_KNOWN} FROM json_each(?) AS asked "
            "JOIN documents ON documents.row = (SELECT row FROM documents WHERE content_hash = asked.value ->> 0 "
            f"AND state = 'current' AND iif({_IS_PART}, source_id, '') = asked.value ->> 1 ORDER BY id || '' LIMIT 1)"
        )

        def answers(rows: list[Row]) -> dict[Lookup, Answer]:
            found = {(one.content_hash, watcher): one for watcher, one in ((row[0], _plain(row[1:])) for row in rows)}
            return {question: found.get(question.of) for question in asked}

        return (statement, (as_json(question.of for question in asked),)), answers

    def _ask_owned(self, asked: list[Lookup]) -> Asked:
        statement = (
            f"SELECT requests.id, {_KNOWN}, {_FETCHES}, {_OWNER} FROM json_each(?) AS asked "
            "JOIN requests ON requests.id = asked.value JOIN documents ON documents.id = requests.document_id "
            f"{_OWNED_BY}"
        )

        def answers(rows: list[Row]) -> dict[Lookup, Answer]:
            found = {row[0]: _known(row[1:], {}, row[0]) for row in rows}
            return {question: found.get(question.of[0]) for question in asked}

        return (statement, (as_json(question.of[0] for question in asked),)), answers

    def _ask_kept(self, asked: list[Lookup]) -> Asked:
        # Compare what a source sees with what the same source saw before.
        statement = (
            "SELECT documents.id, asked.value ->> 1, quirks.quirks, rev_n, "
            "iif(views.text IS NULL, revisions.title, views.title), coalesce(views.text, revisions.text), "
            "iif(views.text IS NULL, extracted_at, views.at), iif(views.text IS NULL, beside, x''), "
            "coalesce(revisions.meta ->> 'summary', '') "
            "FROM json_each(?) AS asked JOIN documents ON documents.id = asked.value ->> 0 AND state = 'current' "
            "JOIN revisions ON revisions.id = revision_id LEFT JOIN quirks ON quirks.document_id = documents.id "
            "LEFT JOIN views ON views.document_id = documents.id AND views.source_id = asked.value ->> 1"
        )

        def answers(rows: list[Row]) -> dict[Lookup, Answer]:
            found = {row[:2]: _kept(row[2:]) for row in rows}
            return {question: found.get(question.of) for question in asked}

        return (statement, (as_json(question.of for question in asked),)), answers

    def _recall_boilerplate(self, asked: list[Lookup]) -> dict[Lookup, Answer]:
        found = self._boilerplate.of([question.of[0] for question in asked])
        return {question: found[question.of[0]] for question in asked}


class SqliteRecollection(SqliteMemory):
    """The port `Recollection`."""

    #: The version of the dossier before the first answer; None: nothing was asked.
    _version: object = None

    def recall(self, questions: Iterable[Lookup]) -> dict[Lookup, Answer]:
        return self._recalled(questions, self._db.together if self._version is not None else self._first)

    def is_stale(self) -> bool:
        return self._version is not None and self._db.version() != self._version

    def _first(self, statements: Sequence[tuple[str, Bindings]]) -> list[list[Row]]:
        self._version, rows = self._db.dated(statements)
        return rows


def _kept(row: Row) -> Kept:
    quirks, rev_n, title, text, at, beside, summary = row
    return Kept(
        title=title,
        text=unpacked(text),
        at=at,
        rev_n=rev_n,
        quirks=quirks_from(quirks),
        beside=marks_from(beside),
        summary=str(summary),
    )


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
