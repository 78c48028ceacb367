"""How long the nearest pieces take to find: `python tests/retrieval/sqlite_pieces.py 10000 100000 1000000`.

The vectors are made, in groups as embedders give them: what is measured is the search, not the embedder.
"""

from __future__ import annotations

import re
import statistics
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from veille.adapters.stores.sqlite.dossier import SqliteDossier
from veille.bootstrap import App
from veille.core.search.meaning import KnownEmbedder
from veille.core.search.vectors import packed
from veille.settings import Settings

_NUMBERS, _GROUPS, _AT_ONCE, _OF_A_DOCUMENT = 512, 2000, 1000, 5


def main() -> int:
    """Print a line for every number of pieces."""
    for size in map(int, sys.argv[1:]):
        with TemporaryDirectory() as folder, App(Settings(data=Path(folder), min_free_mb=0)) as app:
            dossier = app.create_dossier("pieces").id
            with app.dossiers.open(dossier) as store:
                assert isinstance(store, SqliteDossier)
                print(f"{size} pieces: {_measured(store, size)}", flush=True)
    return 0


def _measured(store: SqliteDossier, size: int) -> str:
    rng = np.random.default_rng(size)
    groups = rng.normal(size=(_GROUPS, _NUMBERS))
    _fill(store, size, groups, rng)
    questions = [groups[at] + 0.5 * rng.normal(size=_NUMBERS) for at in range(30)]
    before, began = _memory(), time.process_time()
    store.meaning.nearest("made", [*questions[0]], 100)
    first, memory = time.process_time() - began, _memory() - before
    times = []
    for question in questions[1:]:
        began = time.process_time()
        assert len(store.meaning.nearest("made", [*question], 100)) == 100
        times.append(time.process_time() - began)
    return (
        f"p50 {statistics.median(times) * 1000:.1f} ms of CPU, the first of a process {first * 1000:.0f} ms, "
        f"{memory} MB of memory, {store.db.path.stat().st_size // size} bytes each on disk"
    )


def _fill(store: SqliteDossier, size: int, groups: NDArray[np.float64], rng: np.random.Generator) -> None:
    store.meaning.switch([KnownEmbedder(name="made", label="none")])
    db = store.db
    with db.write():
        db.execute(
            "INSERT INTO sources (id, key, name, kind, url, interval_ms, created_at, updated_at) "
            "VALUES ('s', 's', 's', 'page', 'u', 1, 1, 1)"
        )
        rows = range(1, size // _OF_A_DOCUMENT + 1)
        db.many(
            "INSERT INTO documents (row, id, source_id, state, url, title, content_hash, first_seen_at, seen_at, "
            "changed_at) VALUES (?, ?, 's', 'current', 'u', 't', 'h', 1, 1, 1)",
            ((row, f"{row:012}") for row in rows),
        )
        db.many("INSERT INTO bodies (row, title, text) VALUES (?, 't', 'x')", ((row,) for row in rows))
        db.many(
            "INSERT INTO pieces (document, n, start, end, hash) VALUES (?, ?, 0, 1, ?)",
            ((at // _OF_A_DOCUMENT + 1, at % _OF_A_DOCUMENT, _hash(at)) for at in range(size)),
        )
        for start in range(0, size, _AT_ONCE):
            vectors = groups[rng.integers(0, _GROUPS, _AT_ONCE)] + 0.8 * rng.normal(size=(_AT_ONCE, _NUMBERS))
            made = [(start + at, *packed(vector)) for at, vector in enumerate(vectors)]
            db.many(
                "INSERT INTO vectors (id, embedder, hash, numbers) VALUES (?, 1, ?, ?)",
                [(at + 1, _hash(at), numbers) for at, numbers, _ in made],
            )
            db.many(
                "INSERT INTO vector_bits (id, embedder, bits) VALUES (?, 1, ?)",
                [(at + 1, bits) for at, _, bits in made],
            )
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _hash(at: int) -> bytes:
    # Scattered, as hashes are.
    return (at * 0x9E3779B97F4A7C15 % 2**64).to_bytes(8) * 2


def _memory() -> int:
    found = re.search(r"VmRSS:\s*(\d+)", Path("/proc/self/status").read_text())
    return int(found[1]) // 1024 if found else 0


if __name__ == "__main__":
    sys.exit(main())
