"""What it costs to find and lease what is due, as the number of sources grows that are not: it must not grow with it.

200 sources in 100 dossiers are due in all sizes, which is 2 % of the middle one. A tick claims all of them.
"""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from veille.bootstrap import App

SIZES = (1_000, 10_000, 100_000)
DOSSIERS = 100
DUE = 200
ROUNDS = 9
#: The cost of the largest may be this many times that of the smallest.
MOST = 2.0

NOW = 1_700_000_000_000
HOUR = 3_600_000


def main() -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="veille-tick-") as folder:
        apps = {size: _filled(Path(folder) / str(size), size) for size in SIZES}
        rounds: dict[int, list[float]] = {size: [] for size in SIZES}
        # In turn, so that a busy machine slows all alike; the best counts.
        for turn in range(ROUNDS):
            for size, app in apps.items():
                rounds[size].append(_tick(app, turn))
        for app in apps.values():
            app.close()
    best = {size: min(times) for size, times in rounds.items()}
    growth = best[SIZES[-1]] / best[SIZES[0]]
    print(f"\ntick: {DUE} due in {DOSSIERS} dossiers")
    for size, seconds in best.items():
        print(f"{size:>9,} sources  {seconds * 1000:8.1f} ms of CPU  {seconds / best[SIZES[0]]:5.2f}×")
    print(f"grows {growth:.2f}×, at most {MOST:g}× allowed: {'ok' if growth < MOST else 'TOO MUCH'}")
    return {"cpu_ms": {str(size): round(seconds * 1000, 2) for size, seconds in best.items()}, "growth": growth}


def _tick(app: App, turn: int) -> float:
    """CPU seconds of one tick: everything due is claimed, and given back."""
    from veille.core.models import Scope
    from veille.core.workload import Room

    begun = time.process_time()
    leases = app.queue.claim(f"worker {turn}", NOW, Room(total=DUE, per_host=DUE), Scope())
    cost = time.process_time() - begun
    if len(leases) != DUE:
        raise RuntimeError(f"{len(leases)} were claimed, {DUE} are due")
    app.queue.release(f"worker {turn}", NOW)
    return cost


def _filled(folder: Path, size: int) -> App:
    """A data folder with so many sources: DUE of them due, the others within the next hour."""
    import veille
    from veille.core.kinds import kind_of
    from veille.core.models import Source

    app = veille.open_app(data=folder, clock=lambda: NOW)
    kind = kind_of("page", {})
    for number in range(DOSSIERS):
        dossier = app.create_dossier(f"dossier {number}")
        with app.dossiers.open(dossier.id) as store, store.db.write():  # type: ignore[attr-defined]  # SQLite
            for place in range(size // DOSSIERS):
                url = f"https://host{number * 7 + place}.example/{place}"
                due_at = NOW if place < DUE // DOSSIERS else NOW + 1 + (place * 9973) % HOUR
                source = Source(id=f"{number}:{place}", name=url, kind="page", url=url, created_at=due_at)
                store.sources.add(source, kind.start(source))
    return app


if __name__ == "__main__":
    print(json.dumps(main()))
