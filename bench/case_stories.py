"""Near-duplicates grouped into stories: how right, and what a document costs in a small and in a large dossier.

Through the real store, as a worker writes: 50 documents to a transaction. It can be run alone:
`python bench/case_stories.py --seed 7 --documents 20000 --large 100000`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations, islice
from pathlib import Path

from retellings import LEVELS, Retellings, Telling
from veille.adapters.stores.sqlite.catalog.catalog import SqliteCatalog
from veille.adapters.stores.sqlite.commit.story_writer import StoryDesk
from veille.adapters.stores.sqlite.dossiers import SqliteDossiers
from veille.core.language.stories import StoryStep

BATCH = 50
#: Documents in the small dossier, and documents whose cost is taken in either.
SMALL, SAMPLE = 10_000, 4000
NOW = 1_700_000_000_000
#: What recall is promised up to.
PROMISED = 0.15


@dataclass
class Score:
    """Pairs of documents that were to be together and are, and pairs that are and were not to be."""

    pairs: int = 0
    right: int = 0
    wanted: Counter[float] = field(default_factory=Counter)
    found: Counter[float] = field(default_factory=Counter)

    @property
    def precision(self) -> float:
        return self.right / max(1, self.pairs)

    def recall(self, level: float) -> float:
        """Of the pairs in which the more edited document was edited so much."""
        return self.found[level] / max(1, self.wanted[level])

    def recall_up_to(self, level: float) -> float:
        levels = [known for known in self.wanted if known <= level]
        return sum(self.found[one] for one in levels) / max(1, sum(self.wanted[one] for one in levels))


def score(placed: Iterable[tuple[Telling, int]]) -> Score:
    """How right the stories are; each document comes with the number of the story it was put into."""
    stories: dict[int, list[Telling]] = defaultdict(list)
    truth: dict[int, list[tuple[Telling, int]]] = defaultdict(list)
    for telling, story in placed:
        stories[story].append(telling)
        truth[telling.story].append((telling, story))
    result = Score()
    for members in stories.values():
        result.pairs += len(members) * (len(members) - 1) // 2
        result.right += sum(count * (count - 1) // 2 for count in Counter(one.story for one in members).values())
    for tellings in truth.values():
        for (first, here), (second, there) in combinations(tellings, 2):
            level = max(first.level, second.level)
            result.wanted[level] += 1
            result.found[level] += here == there
    return result


class Shelf:
    """A dossier that takes texts and nothing else, to see what stories cost and come to."""

    def __init__(self, folder: Path) -> None:
        dossiers = SqliteDossiers(folder, SqliteCatalog(folder), max_open=1)
        self._opened = dossiers.open(dossiers.create("bench", NOW).id)
        self.db = self._opened.__enter__().db
        self._close = dossiers.close
        self._desk = StoryDesk(self.db)
        self._count = 0
        self.db.execute(
            "INSERT INTO sources (id, key, name, kind, url, interval_ms, created_at, updated_at) "
            "VALUES ('s', 's', 's', 'page', 's', 1, 1, 1)"
        )

    def add(self, texts: list[str]) -> float:
        """Put in one transaction of texts; the CPU seconds that finding their stories took."""
        with self.db.write():
            first = self._count
            for text in texts:
                self._count += 1
                self.db.execute(
                    "INSERT INTO documents (row, id, source_id, state, url, title, content_hash, first_seen_at, "
                    "seen_at, changed_at) VALUES (?1, ?2, 's', 'current', ?2, ?3, ?2, 1, 1, 1)",
                    (self._count, f"document {self._count}", text[:80]),
                )
            began = time.process_time()
            for at, text in enumerate(texts, first + 1):
                self._desk.rearrange([StoryStep(at, f"document {at}", text)], NOW + at)
            spent = time.process_time() - began
            # The commit writes what stories dirtied; the documents' own rows go to the end of their tables.
            began = time.process_time()
        return spent + time.process_time() - began

    def stories(self) -> dict[int, int]:
        """The story of each document; those too short for any have one of their own."""
        found: dict[int, int] = dict(self.db.execute("SELECT document, story FROM story_documents"))
        return {at: found.get(at, -at) for at in range(1, self._count + 1)}

    def close(self) -> None:
        self._opened.__exit__(None, None, None)
        self._close()


def main(seed: int = 1, documents: int = 20_000, large: int = 100_000) -> dict[str, float]:
    """Print the scores and the costs."""
    result = judged(seed, documents)
    print(f"stories: {documents:,} documents, seed {seed}")
    print(f"precision {result.precision:.4f}, recall up to {PROMISED:.0%} edits {result.recall_up_to(PROMISED):.4f}")
    print("recall by edits: " + ", ".join(f"{level:.0%} {result.recall(level):.3f}" for level in LEVELS))
    small_ms, large_ms = costs(seed + 1, large)
    print(
        f"a document costs {small_ms:.3f} ms at 10,000 documents, {large_ms:.3f} ms at {large:,} "
        f"({large_ms / small_ms:.2f}×)"
    )
    return {
        "stories precision": result.precision,
        "stories recall": result.recall_up_to(PROMISED),
        "stories ms at 10k": small_ms,
        f"stories ms at {large // 1000}k": large_ms,
    }


def judged(seed: int, documents: int) -> Score:
    """Group the documents of a seed, and compare."""
    tellings = list(Retellings(seed, documents))
    with tempfile.TemporaryDirectory(prefix="veille-bench-") as folder:
        shelf = Shelf(Path(folder))
        for batch in _batches(tellings):
            shelf.add([telling.text for telling in batch])
        placed = shelf.stories()
        shelf.close()
    return score((telling, placed[at]) for at, telling in enumerate(tellings, 1))


def costs(seed: int, large: int) -> tuple[float, float]:
    """CPU milliseconds per document at 10,000 and in a large dossier.

    The two are filled first and then measured in turns, so that a busy machine slows both alike.
    """
    with tempfile.TemporaryDirectory(prefix="veille-bench-") as small, tempfile.TemporaryDirectory() as big:
        shelves = Shelf(Path(small)), Shelf(Path(big))
        waiting = [_batches(Retellings(seed, size + SAMPLE)) for size in (SMALL, large)]
        for shelf, batches, size in zip(shelves, waiting, (SMALL, large), strict=True):
            print(f"stories: filling a dossier with {size:,} documents ...", file=sys.stderr, flush=True)
            for batch in islice(batches, size // BATCH):
                shelf.add([telling.text for telling in batch])
        spent = [0.0, 0.0]
        for turns in zip(*waiting, strict=True):
            for at, batch in enumerate(turns):
                spent[at] += shelves[at].add([telling.text for telling in batch])
        for shelf in shelves:
            shelf.close()
    return 1000 * spent[0] / SAMPLE, 1000 * spent[1] / SAMPLE


def _batches(tellings: Iterable[Telling]) -> Iterator[list[Telling]]:
    waiting = iter(tellings)
    while batch := list(islice(waiting, BATCH)):
        yield batch


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--large", type=int, default=100_000)
    main(**vars(parser.parse_args()))
