"""A batch gives the same rows as its readings one after the other, however they are grouped, with few statements."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract.stores import sqlite_program
from desk import EVERYTHING, Desk, Program, room
from inside_sqlite import database_of
from samples import NOW, document, failure, payload, request
from veille.adapters.stores.sqlite._db import SqliteDatabase
from veille.adapters.stores.sqlite.dossier import SqliteDossier
from veille.adapters.stores.sqlite.dossiers import SqliteDossiers
from veille.core.fingerprint import url_identity
from veille.core.models import Budget, Change, KeepRaw, Lease, Listing, Reading
from veille.core.workload import Room

URLS = [f"https://{host}.example/page" for host in "abcde"]
TEXTS = [
    "The council voted on Tuesday to rebuild the old harbour bridge, closed since the flood of last autumn. " * 2,
    "Nothing of the kind was planned for the northern pier, said the engineers who had been asked about it. " * 2,
    "A museum of clocks opens in the former customs house, with four hundred pieces from nine centuries on show. " * 2,
    "A short text.",
]
MINUTE = 60_000
_DOCUMENT = (
    "id, source_id, state, duplicate_of, url, title, content_hash, revision_id, rev_n, first_seen_at, seen_at, "
    "changed_at, facts, published_at, (SELECT stories.id FROM story_documents JOIN stories ON stories.row = story "
    "WHERE document = documents.row)"
)
_REQUEST = (
    "id, url, stamp, depth, context, due_at, wakes, attempts, failed_with, error, glimpse, done_at, document_id, "
    "etag, raw_hash, size, full_at, polls, churn, lease_owner"
)
#: Everything that is stored, but for numbers of rows; in the order in which followers read it where that matters.
TABLES: dict[str, tuple[str, str]] = {
    "documents": (_DOCUMENT, "id"),
    "revisions": ("id, document_id, n, url, title, content_hash, text_length, meta", "id"),
    "identities": ("key, document_id", "key"),
    "sightings": ("document_id, source_id", "document_id, source_id"),
    "views": ("document_id, source_id, at, content_hash, title, text", "document_id, source_id"),
    "quirks": ("document_id, quirks", "document_id"),
    "requests": (_REQUEST, "id"),
    "sources": ("id, state, failures, error_code, moved_to, moved_seen, checked_at, changed_at", "id"),
    "outbox": ("change, source_id, document_id, revision_id, rev_n, url, title, changed_metadata", "seq"),
    "run_items": ("change, documents, source_id, url, title, code, message, status, document_id", "seq"),
    "days": ("*", "day, host"),
    "source_days": ("*", "source_id, day"),
    "bodies": ("documents.id, bodies.title, text", "documents.id"),
    "raw_bodies": ("*", "hash"),
    "raw_answers": ("*", "id"),
    "raw_revisions": ("*", "revision_id"),
}

#: What an answer is like: its kind, which text, which address it is known by, and which it claims as its home.
ANSWERS = st.tuples(
    st.sampled_from("same bytes,page,page,page,shown,two,gone,missing,down,listing,moved,stamp,dated,dated".split(",")),
    st.integers(0, len(TEXTS) - 1),
    st.integers(0, len(URLS) - 1),
    st.sampled_from([None, None, None, *URLS]),
)


def _reading(lease: Lease, answer: tuple[str, int, int, str | None], turn: int) -> Reading:
    kind, text, place, claim = answer
    url = lease.request.url
    answered = payload(f"{text} {turn // 2}", url, raw_hash=f"{kind} {text} {turn}", fetched_at=NOW + turn * MINUTE)
    # Mostly the page at its own address; sometimes one that others bring, too.
    at = url if place % 2 else URLS[place]
    claims = (url_identity(claim),) if claim and claim != at else ()
    published = NOW - place * MINUTE if kind == "dated" else None
    read = document(at, TEXTS[text], shown=kind == "shown", claims=claims, published_at=published)
    if kind in {"gone", "missing", "down"}:
        status = {"gone": 410, "missing": 404, "down": 500}[kind]
        return Reading(lease=lease, failure=failure(status))
    if kind == "same bytes":
        return Reading(lease=lease, payload=answered)
    if kind == "moved":
        sent_on = replace(answered, status=301, final_url=URLS[place], redirects=((301, url),))
        return Reading(lease=lease, payload=sent_on)
    if kind == "listing":
        return Reading(lease=lease, payload=answered, documents=(read,), listing=Listing(keys=read.keys))
    if kind == "stamp":
        found = request(lease.source, URLS[place], "entry", stamp=str(text), every=1)
        return Reading(lease=lease, payload=answered, documents=(read,), requests=(found,))
    more = (document(URLS[place], TEXTS[text - 1]),) if kind == "two" else ()
    return Reading(lease=lease, payload=answered, documents=(read, *more))


def _dump(opened: SqliteDossier) -> dict[str, list[tuple[object, ...]]]:
    joins = {"bodies": "bodies JOIN documents ON documents.row = bodies.row"}
    return {
        name: opened.db.execute(f"SELECT {columns} FROM {joins.get(name, name)} ORDER BY {order}")
        for name, (columns, order) in TABLES.items()
    }


def _groups(readings: list[Reading], cuts: Sequence[bool]) -> Iterator[list[Reading]]:
    start = 0
    for end in range(1, len(readings) + 1):
        if end == len(readings) or cuts[end % len(cuts)]:
            yield readings[start:end]
            start = end


@contextmanager
def _program() -> Iterator[Program]:
    with tempfile.TemporaryDirectory() as folder:
        program = sqlite_program(Path(folder))
        with closing(program.dossiers):
            yield program


def _desk(program: Program, name: str) -> Desk:
    desk = Desk(program, program.dossiers.create(name, NOW).id)
    for url in URLS:
        # One of them has a further page.
        keep = KeepRaw.ALL if url == URLS[1] else KeepRaw.LAST
        config = {"keep_raw": keep}
        desk.add(url, *([f"{url}/more"] if url == URLS[0] else []), interval_ms=MINUTE, config=config)
    return desk


@given(
    turns=st.lists(st.lists(ANSWERS, min_size=6, max_size=6), min_size=1, max_size=5),
    cuts=st.lists(st.booleans(), min_size=1, max_size=6),
    ahead=st.booleans(),
)
def test_any_grouping_gives_the_rows_of_one_after_the_other(
    turns: list[list[tuple[str, int, int, str | None]]], cuts: list[bool], *, ahead: bool
) -> None:
    with _program() as program:
        single, batched = _desk(program, "single"), _desk(program, "batched")
        for turn, answers in enumerate(turns):
            now = NOW + turn * 2 * MINUTE
            for desk in (single, batched):
                program.queue.arm(desk.dossier_id, now)
            leases: dict[str, list[Lease]] = {}
            for lease in program.queue.claim("worker", now, room(100), EVERYTHING):
                leases.setdefault(lease.dossier_id, []).append(replace(lease, dossier_id="any"))
            for desk in (single, batched):
                mine = sorted(leases[desk.dossier_id], key=lambda lease: lease.request.id)
                readings = [_reading(lease, answers[at % 6], turn) for at, lease in enumerate(mine)]
                groups = [[one] for one in readings] if desk is single else list(_groups(readings, cuts))
                desk.commit_batches(groups, now, ahead=ahead and desk is batched)
            program.queue.release("worker", now)
            with single.open() as one, batched.open() as other:
                assert isinstance(one, SqliteDossier)
                assert isinstance(other, SqliteDossier)
                assert _dump(one) == _dump(other)


@contextmanager
def _traced(*databases: SqliteDatabase) -> Iterator[list[int]]:
    """How many statements are sent to each; one for many rows of a table counts once."""
    sent: list[list[str]] = [[] for _ in databases]

    def note(into: list[str], sql: str) -> bool:
        if not into or into[-1] != sql:
            into.append(sql)
        return True

    counts = [0] * len(databases)
    for database, into in zip(databases, sent, strict=True):
        # One thread has one connection, which is idle between two statements.
        (connection,) = database._idle
        connection.exec_trace = lambda _, sql, __, into=into: note(into, sql)
    yield counts
    counts[:] = map(len, sent)
    for database in databases:
        (connection,) = database._idle
        connection.exec_trace = None


#: What is sent to the dossier and to the catalogue for a batch, by what comes of it.
STATEMENTS = {
    "claim": (8, 8),
    "same bytes": (11, 5),
    "same text": (14, 5),
    "new": (31, 5),
    "changed": (40, 5),
    "limited": (17, 5),
    "unlisted": (36, 5),
}
#: What it takes more to keep the answers: nothing where nothing was read.
KEEPING = {"new": 6, "changed": 6, "same text": 1, "limited": 1, "unlisted": 6}
EXPECTED = {"new": {Change.NEW}, "changed": {Change.CHANGED}, "unlisted": {Change.REMOVED, Change.NEW}}


@pytest.mark.parametrize("keep", [KeepRaw.NONE, KeepRaw.LAST])
@pytest.mark.parametrize("size", [1, 64])
def test_the_number_of_statements_does_not_grow_with_the_batch(tmp_path: Path, size: int, keep: KeepRaw) -> None:
    program = sqlite_program(tmp_path)
    desk = Desk(program, program.dossiers.create("news", NOW).id)
    with desk.open() as opened:
        opened.raw_answers.set_default(keep)
    for number in range(size):
        desk.add(f"https://host{number}.example/")
    found: dict[str, tuple[int, ...]] = {}
    with closing(program.dossiers), desk.open() as opened:
        assert isinstance(opened, SqliteDossier)
        assert isinstance(program.dossiers, SqliteDossiers)
        catalog = program.dossiers._catalog.db
        assert isinstance(catalog, SqliteDatabase)
        databases = database_of(opened), catalog
        for turn, name in enumerate(("new", "same bytes", "same text", "changed", "limited", "unlisted")):
            now = NOW + turn * MINUTE
            program.queue.arm(desk.dossier_id, now)
            with _traced(*databases) as counts:
                leases = program.queue.claim("worker", now, Room(total=size, per_host=1), EVERYTHING)
            found["claim"] = tuple(counts)
            while len(leases) < size:
                leases += desk.claim(now=now)
            readings = [_article(lease, name, number) for number, lease in enumerate(leases)]
            with _traced(*databases) as counts:
                plans = desk.commit_batches([readings], now)
            found[name] = tuple(counts)
            assert {item.change for plan in plans for item in plan.items} == EXPECTED.get(name, {Change.SAME})
            assert len(plans) == size
            program.queue.release("worker", now)
    more = KEEPING if keep is not KeepRaw.NONE else {}
    assert found == {name: (first + more.get(name, 0), second) for name, (first, second) in STATEMENTS.items()}


def _article(lease: Lease, name: str, number: int) -> Reading:
    url = lease.request.url
    answer = payload(f"{name} {number}", url, raw_hash=name)
    if name == "same bytes":
        return Reading(lease=lease, payload=answer)
    if name == "unlisted":
        other = document(f"{url}other", f"Another document, which takes the place of number {number}.")
        return Reading(lease=lease, payload=answer, documents=(other,), listing=Listing(keys=other.keys))
    edition = "first" if name in {"new", "same text"} else "second"
    words = " ".join(f"word{number * 50 + at}" for at in range(50))
    read = document(url, f"The {edition} edition of it. {words}")
    budget = Budget(pages=0, per_pattern=1, run_ms=MINUTE) if name == "limited" else None
    return Reading(lease=lease, payload=answer, documents=(read,), budget=budget)
