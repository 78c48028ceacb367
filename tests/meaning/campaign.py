"""A dossier that is edited and embedded at the same time, by processes that are killed at any moment.

After every kill: no vector without its piece, no piece lost, and everything that has no vector waits for one.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import apsw

from veille.bootstrap import App
from veille.core.chunk.pieces import piece_hash, pieces
from veille.core.fingerprint import content_hash
from veille.core.kinds import Kind
from veille.core.models import Change, Document, Item, Lease, Plan, Source
from veille.ports import DossierStore
from veille.services.reading.filling import fill
from veille.settings import Settings

#: An embedder that takes no time: the order of things is what is tried.
EMBEDDER = "none"
_DOCUMENTS, _PARAGRAPHS = 40, 4
#: The share of processes that may die while they open the dossier.
_KILLED_EARLY = 0.2
_SOURCE = Source(id="given", name="given", kind="page", url="https://given.invalid/", enabled=False)


@dataclass
class Outcome:
    """What was found after the kills."""

    kills: int = 0
    edits: int = 0
    vectors_without_piece: int = 0
    pieces_lost: int = 0
    neither_embedded_nor_waiting: int = 0
    without_vector_at_the_end: int = 0

    @property
    def is_sound(self) -> bool:
        # Without edits nothing was tried.
        return self.edits > 0 and not (
            self.vectors_without_piece
            or self.pieces_lost
            or self.neither_embedded_nor_waiting
            or self.without_vector_at_the_end
        )


def paragraph(rng: random.Random) -> str:
    # Some are in several documents, some come back.
    seeded = random.Random(rng.randrange(300))
    return " ".join(f"w{seeded.randrange(900)}" for _ in range(seeded.randint(60, 130))).capitalize() + "."


def text(rng: random.Random) -> str:
    return "\n\n".join(paragraph(rng) for _ in range(_PARAGRAPHS))


def run(folder: Path, kills: int, seed: int) -> Outcome:
    """Edit, embed and kill."""
    rng = random.Random(seed)
    outcome = Outcome()
    settings = Settings(data=folder, min_free_mb=0)
    with App(settings) as app:
        dossier = app.create_dossier("killed").id
        app.meaning.switch_on(dossier, [EMBEDDER])
        with app.dossiers.open(dossier) as store:
            fill(store, dossier, ((f"Title {n}", text(rng), "") for n in range(_DOCUMENTS)), app.clock())
    for number in range(kills):
        child = os.fork()
        if not child:
            _work(settings, dossier, random.Random(f"{seed} {number}"))
        os.waitpid(child, 0)
        outcome.kills += 1
        # Some kills in between are not looked at: the next process finds what several left.
        if number % 2:
            _look(folder, dossier, outcome)
    # What dead processes had claimed is claimed again after some minutes.
    later = 10 * 60_000
    with App(settings, lambda: time.time_ns() // 1_000_000 + later) as app:
        app.meaning.keep_up([dossier])
        counts = app.meaning.state(dossier).counts
        outcome.without_vector_at_the_end = sum(counts.waiting.values())
    _look(folder, dossier, outcome)
    return outcome


def _work(settings: Settings, dossier: str, rng: random.Random) -> None:
    """What a process does until it is killed: it never returns.

    The system kills it at once after some CPU time, not after some time: on a busy machine it would have done nothing.
    """
    left = rng.uniform(0.005, 0.3)
    try:
        if rng.random() < _KILLED_EARLY:
            signal.setitimer(signal.ITIMER_PROF, left)
        with App(settings, lambda: time.time_ns() // 1_000_000) as app, app.dossiers.open(dossier) as store:
            signal.setitimer(signal.ITIMER_PROF, left)
            while True:
                _edit(store, dossier, rng)
                app.meaning.keep_up([dossier])
    finally:
        os._exit(1)


def _edit(store: DossierStore, dossier: str, rng: random.Random) -> None:
    now = time.time_ns() // 1_000_000
    number = rng.randrange(_DOCUMENTS)
    revision = store.records.revision(f"{number:012}")
    parts = revision.text.split("\n\n")
    parts[rng.randrange(len(parts))] = paragraph(rng)
    new = "\n\n".join(parts)
    url = f"{_SOURCE.url}{number}"
    document = Document(
        keys=(f"given:{number}",), url=url, title=revision.title, text=new, lang="", content_hash=content_hash(new)
    )
    item = Item(
        change=Change.CHANGED, url=url, title=revision.title, document=document, document_id=f"{number:012}",
        rev_n=revision.n + 1,
    )  # fmt: skip
    request = Kind.request(_SOURCE, _SOURCE.url)
    lease = Lease(dossier_id=dossier, source=_SOURCE, request=request, worker="", epoch=0, until=0, wakes=0)
    with store.writing() as writer:
        writer.apply([Plan(lease=lease, items=(item,))], _SOURCE.id, now)


def _look(folder: Path, dossier: str, outcome: Outcome) -> None:
    with _reading(folder, dossier) as db:
        rows = list(db.execute("SELECT row, title, text FROM bodies"))
        held: dict[int, list[bytes]] = {}
        for row, sha in db.execute("SELECT document, hash FROM pieces ORDER BY document, n"):
            held.setdefault(row, []).append(sha)
        for row, title, body in rows:
            expected = [piece_hash(title), *(one.hash for one in pieces(body))]
            outcome.pieces_lost += held.get(row) != expected
        outcome.vectors_without_piece += _count(
            db, "vectors WHERE NOT EXISTS (SELECT 1 FROM pieces WHERE pieces.hash = vectors.hash)"
        )
        outcome.vectors_without_piece += _count(db, "vector_bits WHERE id NOT IN (SELECT id FROM vectors)")
        outcome.vectors_without_piece += _count(
            db, "former_vectors AS v WHERE NOT EXISTS (SELECT 1 FROM former_pieces AS p WHERE p.hash = v.hash)"
        )
        outcome.neither_embedded_nor_waiting += _count(
            db,
            "pieces WHERE NOT EXISTS (SELECT 1 FROM vectors WHERE vectors.hash = pieces.hash) "
            "AND NOT EXISTS (SELECT 1 FROM to_embed WHERE to_embed.hash = pieces.hash)",
        )
        outcome.edits = _count(db, "revisions") - _DOCUMENTS


@contextmanager
def _reading(folder: Path, dossier: str) -> Iterator[apsw.Connection]:
    (path,) = folder.glob(f"dossiers/*/{dossier}.db")
    with closing(apsw.Connection(str(path))) as connection:
        connection.set_busy_timeout(5000)
        yield connection


def _count(db: apsw.Connection, rest: str) -> int:
    return int(next(iter(db.execute(f"SELECT count(*) FROM {rest}")))[0])


def main() -> int:
    """Run it in full, and print what was found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        outcome = run(Path(folder), given.kills, given.seed)
    sys.stdout.write(f"seed {given.seed}: {outcome}\n")
    return 0 if outcome.is_sound else 1
