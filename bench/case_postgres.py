"""How long searches take on PostgreSQL, in a dossier of many documents, under row-level security.

`case_postgres.py [DOCUMENTS]` starts a server of its own, fills a dossier (words as frequent as in a language: the most
frequent is in nearly every document), and asks queries of each kind. Told are the median and the 95th percentile of the
wall clock, and the CPU of the client and of the server, which is what counts on a busy machine. What a check costs is
told by `case_checks.py`, with VEILLE_STORE set, and what several workers cost each other by `case_workers.py`. Ends
with status 1 if a kind of query takes longer than is asked for.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import psycopg

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "tests")]

import measure  # noqa: E402 - it is beside this file

if TYPE_CHECKING:
    from postgres_server import PostgresServer
    from veille.adapters.stores.postgres._db import PostgresDatabase
    from veille.ports import DossierStore

DOCUMENTS = 100_000
#: About 3 kB.
WORDS, VOCABULARY = 400, 60_000
BATCH = 300
ASKED = 40
#: Milliseconds that 95 of 100 searches of a kind take at most.
MOST_MS = 100
NOW = 1_700_000_000_000
_LETTERS = "etaoinshrdlcumwfgypbvk"


def main(documents: int = DOCUMENTS) -> dict[str, Any]:
    from pydantic import SecretStr

    from postgres_server import PostgresServer
    from veille.bootstrap.stores import open_store
    from veille.settings import Settings

    with (
        PostgresServer(shared_buffers="512MB", autovacuum="on") as server,
        tempfile.TemporaryDirectory(prefix="veille-postgres-") as folder,
    ):
        url = SecretStr(server.url(server.database()))
        store = open_store(Settings(data=Path(folder), store=url, min_free_mb=0))
        dossier = store.dossiers.create("bench", NOW)
        with store.dossiers.open(dossier.id) as opened:
            begun, cpu = time.perf_counter(), time.process_time()
            _fill(opened.db, documents)  # type: ignore[attr-defined]
            _analyze(url.get_secret_value())
            spent, cpu = time.perf_counter() - begun, time.process_time() - cpu
            print(f"\npostgres: {documents:,} documents of {WORDS} words, filled in {spent:.0f} s ({cpu:.0f} s of CPU)")
            found = {name: _asked(opened, list(queries), server) for name, queries in _queries()}
            segments = opened.db.value("SELECT count(*) FROM word_segments")  # type: ignore[attr-defined]
        store.dossiers.close()
    print(f"{segments} segments")
    for name, (median, p95, cpu, served, hits) in found.items():
        told = f"{median:7.1f} ms, p95 {p95:7.1f} ms, CPU {cpu:6.1f} ms in the client, {served:6.1f} ms in the server"
        print(f"{name:>24}  {told}, {hits:>7,} hits")
    figures = {
        name: {"median_ms": of[0], "p95_ms": of[1], "cpu_ms": of[2], "server_ms": of[3]} for name, of in found.items()
    }
    over = [f"{name}: p95 {of[1]} ms, at most {MOST_MS} are asked for" for name, of in found.items() if of[1] > MOST_MS]
    return {**figures, "over": over}


def _analyze(url: str) -> None:
    """What autovacuum does within a minute."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("ANALYZE")


def _word(number: int) -> str:
    found = ""
    number += 7
    while number:
        number, at = divmod(number, len(_LETTERS))
        found += _LETTERS[at]
    return found + "aeiou"[len(found) % 5]


def _fill(db: PostgresDatabase, documents: int) -> None:
    from veille.adapters.stores.sqlite.search.bodies import write_bodies

    draw = np.random.default_rng(1)
    words = np.array([_word(number) for number in range(VOCABULARY)], dtype=object)
    shares = 1 / np.arange(1, VOCABULARY + 1)
    edges = np.cumsum(shares / shares.sum())
    db.execute(
        "INSERT INTO sources (id, key, name, kind, url, interval_ms, created_at, updated_at) "
        "VALUES ('s', 's', 'Source', 'page', 'https://example.org/', 1, 1, 1), "
        "('t', 't', 'Small', 'page', 'https://example.com/', 1, 1, 1)"
    )
    for start in range(0, documents, BATCH):
        many = min(BATCH, documents - start)
        picked = words[np.searchsorted(edges, draw.random((many, WORDS)))]
        texts = [" ".join(one) for one in picked]
        with db.write():
            db.many(
                "INSERT INTO documents (row, id, source_id, state, url, title, lang, content_hash, revision_id, rev_n, "
                "first_seen_at, seen_at, changed_at) "
                "VALUES (?1, ?2, ?7, 'current', ?3, ?4, ?5, ?2, ?2, 1, ?6, ?6, ?6)",
                [
                    (at, f"d{at}", f"https://example.org/{at}", text[:40], *_found(at))
                    for at, text in enumerate(texts, start + 1)
                ],
            )
            write_bodies(db, [(at, text[:40], text, "en") for at, text in enumerate(texts, start + 1)])


def _found(number: int) -> tuple[str, int, str]:
    """The language of a document, when it was found, and by which source."""
    return "en" if number % 50 else "fr", NOW + number, "s" if number % 50 - 1 else "t"


def _queries() -> Iterator[tuple[str, Iterator[str]]]:
    def each(made: Callable[[int], str]) -> Iterator[str]:
        return (made(at) for at in range(ASKED))

    yield "rare words", each(lambda at: _word(20_000 + at * 97))
    yield "frequent words", each(lambda at: _word(at % 20))
    yield "two frequent words", each(lambda at: f"{_word(at % 20)} {_word(at % 13 + 20)}")
    yield "either of three", each(lambda at: f"{_word(at % 20)} OR {_word(at * 11)} OR {_word(at * 31)}")
    yield "one without another", each(lambda at: f"{_word(at % 20)} -{_word(at % 17 + 3)}")
    yield "beginnings", each(lambda at: f"{_word(300 + at * 7)[:2]}*")
    yield "longer beginnings", each(lambda at: f"{_word(3_000 + at * 7)[:3]}*")
    yield "phrases", each(lambda at: f'"{_word(at % 20)} {_word(at * 3)}"')
    yield "of a rare language", each(lambda at: f"{_word(at % 20)} lang:fr")
    yield "of a small source", each(lambda at: f"{_word(at % 20)} source:Small")
    yield (
        "questions",
        each(lambda at: f"what {_word(at % 20)} of {_word(at * 13)} in {_word(at * 101)} {_word(at + 40)}?"),
    )


def _asked(opened: DossierStore, queries: list[str], server: PostgresServer) -> tuple[float, float, float, float, int]:
    from veille.core.search.query import parse

    walls, cpus, hits = [], [], 0
    served = server.cpu_s()
    for text in [queries[0], *queries]:
        asked = opened.index.answering if text.endswith("?") else opened.index.ranked
        begun, cpu = time.perf_counter(), time.process_time()
        hits = len(asked(parse(text, NOW), 50).hits)
        walls.append((time.perf_counter() - begun) * 1000)
        cpus.append((time.process_time() - cpu) * 1000)
    return (
        round(float(np.median(walls[1:])), 1),
        round(float(np.percentile(walls[1:], 95)), 1),
        round(float(np.median(cpus[1:])), 1),
        round((server.cpu_s() - served) * 1000 / len(walls), 1),
        hits,
    )


if __name__ == "__main__":
    told = main(int(sys.argv[1]) if len(sys.argv) > 1 else DOCUMENTS)
    print(json.dumps(told))
    sys.exit(measure.status_of([told]))
