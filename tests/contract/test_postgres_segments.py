"""Segments of the full-text index on the server: merged beside, and without what is gone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from contract.stores import STORES
from desk import Desk
from samples import NOW, document
from veille.adapters.stores.database import Bindings, Row
from veille.adapters.stores.postgres._db import PostgresDatabase
from veille.adapters.stores.postgres.words.merging import merge
from veille.adapters.stores.postgres.words.store import FULL
from veille.core.search.query import parse

MINUTE = 60_000
DOCUMENTS = 40


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    store = STORES["postgres"](tmp_path)
    program = store.program()
    yield Desk(program, program.dossiers.create("news", NOW).id)
    store.close()
    store.after()


def _text(number: int, edition: str) -> str:
    return f"The {edition} edition of harbour news number{number}. " + " ".join(f"word{at}" for at in range(number))


def _brought(desk: Desk) -> None:
    for number in range(DOCUMENTS):
        url = f"https://host{number}.example/"
        desk.bring(document(url, _text(number, "first")), url=url, now=NOW + number)


def _found(desk: Desk, text: str) -> set[str]:
    with desk.open() as opened:
        return {hit.url for hit in opened.index.ranked(parse(text, NOW), 1_000).hits}


def _database(desk: Desk) -> PostgresDatabase:
    with desk.open() as opened:
        return opened.db  # type: ignore[attr-defined, no-any-return]  # it is of PostgreSQL


def test_many_small_segments_become_few(desk: Desk) -> None:
    _brought(desk)
    db = _database(desk)
    for name in ("search", "forms"):
        few = db.value("SELECT count(*) FROM word_segments WHERE name = ?", (name,))
        assert few <= 16
    assert db.value("SELECT sum(many) FROM word_segments WHERE name = 'search'") == DOCUMENTS
    assert db.value("SELECT count(DISTINCT segment) FROM word_chunks") == db.value("SELECT count(*) FROM word_segments")
    assert len(_found(desk, "harbour")) == DOCUMENTS
    assert _found(desk, "number7") == {"https://host7.example/"}
    assert db.soundness().indexed == DOCUMENTS


def test_what_is_gone_is_neither_found_nor_counted_and_merged_away(desk: Desk) -> None:
    _brought(desk)
    db = _database(desk)
    assert len(_found(desk, "harbour")) == DOCUMENTS
    with db.write():
        rows = db.column("SELECT row FROM documents ORDER BY row")
        db.execute("DELETE FROM bodies WHERE row <= ?", (rows[-3],))
    assert len(_found(desk, "harbour")) == len(_found(desk, "harb*")) == 2
    assert db.words.begun("edit") == db.words.of(["edition", "nothing"]) == {"edition": 2}
    merge(db, db.words)
    assert db.value("SELECT sum(many) FROM word_segments WHERE name = 'search'") < DOCUMENTS / 2
    assert len(_found(desk, "harbour")) == 2
    assert _found(desk, "number0") == set()


def test_another_program_sees_a_text_that_was_replaced(desk: Desk) -> None:
    added = desk.bring(document("https://example.org/a", "The first edition of it."))
    db = _database(desk)
    other = PostgresDatabase(db._connections, db.path, desk.dossier_id)
    assert len(other.words.rows("search", '"first"')) == 1
    desk.again(document(added.url, "The second edition of it."), now=NOW + MINUTE)
    assert len(other.words.rows("search", '"first"')) == 0
    assert len(other.words.rows("search", '"second"')) == 1


def test_a_thread_that_knows_less_takes_nothing_from_what_another_knows(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    added = desk.bring(document("https://example.org/a", "The first edition of it."))
    db = _database(desk)
    other = PostgresDatabase(db._connections, db.path, desk.dossier_id)
    index, together = other.words, other.together
    less = index.read()
    for number, edition in enumerate(("second", "third"), 1):
        desk.again(document(added.url, f"The {edition} edition of it."), now=NOW + number * MINUTE)
        assert len(index.rows("search", '"first"')) == 0
    desk.again(document(added.url, "The fourth edition of it."), now=NOW + 3 * MINUTE)

    def outrun(statements: Sequence[tuple[str, Bindings]]) -> list[list[Row]]:
        found = together(statements)
        index.known = less
        return found

    with monkeypatch.context() as patched:
        patched.setattr(other, "together", outrun)
        assert [len(index.rows("search", f'"{word}"')) for word in ("first", "third", "fourth")] == [0, 0, 1]
    assert [len(index.rows("search", f'"{word}"')) for word in ("first", "third", "fourth")] == [0, 0, 1]
    more = index.known

    def overtaken(statements: Sequence[tuple[str, Bindings]]) -> list[list[Row]]:
        index.known = more
        # As from an older snapshot: without the marks.
        segments, _, *answers = together(statements)
        return [segments, [], *answers]

    index.known = less
    monkeypatch.setattr(other, "together", overtaken)
    index.rows("search", '"first"')
    assert index.known is more


def test_full_segments_are_never_too_many(desk: Desk) -> None:
    for number in range(3):
        url = f"https://host{number}.example/"
        desk.bring(document(url, _text(number, "first")), url=url, now=NOW + number)
    db = _database(desk)
    asked = []
    for level in (FULL - 1, FULL):
        with db.write():
            many = "SELECT name, $1, tokens, many, documents FROM word_segments CROSS JOIN generate_series(1, 16)"
            db.send(f"INSERT INTO word_segments (name, level, tokens, many, documents) {many}", (level,))
            asked.append(db.words.is_many())
            db.send("DELETE FROM word_segments WHERE level = $1", (level,))
    assert [one.fetchone() for one in asked] == [(1,), None]


def test_what_is_not_committed_leaves_no_trace(desk: Desk) -> None:
    added = desk.bring(document("https://example.org/a", "The first edition of it."))
    db = _database(desk)
    with suppress(RuntimeError), db.write():
        db.execute("DELETE FROM bodies")
        assert _found(desk, "first") == set()
        raise RuntimeError
    assert _found(desk, "first") == {added.url}


def test_one_merges_at_a_time(desk: Desk) -> None:
    _brought(desk)
    db = _database(desk)
    before = db.column("SELECT id FROM word_segments")
    other = PostgresDatabase(db._connections, db.path, desk.dossier_id)
    with db.write():
        db.execute("DELETE FROM bodies")
    with db.beside():
        assert db.value("SELECT pg_try_advisory_xact_lock(lock_of('words ' || CAST(dossier() AS text)))")
        merge(other, other.words)
        assert other.column("SELECT id FROM word_segments") == before
    merge(other, other.words)
    assert other.column("SELECT id FROM word_segments") == []
    assert other.value("SELECT count(*) FROM word_chunks") == 0
