"""Embed very many pieces in several processes, or on several machines.

A task takes pieces that wait as a worker does: for some minutes they are its own, and a vector is stored only if its
piece is still there. So tasks that are killed, or run twice, leave no gaps and store nothing twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import TYPE_CHECKING, Any

from veille.ports.outside import BulkTask

if TYPE_CHECKING:
    from veille.ports.outside import Bulk
    from veille.services.meaning.keeping import MeaningService

#: The name of these tasks.
EMBED = "embed"
#: So many steps of a worker are one task, about so many pieces.
STEPS, PIECES = 32, 1000
#: About so many pieces has a document that is not cut yet.
_PER_DOCUMENT = 8


def embed_part(meaning: MeaningService, task: BulkTask) -> dict[str, Any]:
    """Do one task, in the process that it was given to."""
    steps = count(1)
    return {"made": meaning.keep_up([task.dossier_id], lambda: next(steps) > STEPS)}


class BulkEmbedding:
    """The same as `MeaningService.keep_up`, in parts."""

    def __init__(self, meaning: MeaningService, bulk: Bulk) -> None:
        self._meaning = meaning
        self._bulk = bulk

    def keep_up(self, dossier_id: str, stop: Callable[[], bool] = lambda: False) -> int:
        """Embed all that waits in a dossier; returns how many pieces."""
        made = 0
        for found in self._bulk.run(self._tasks(dossier_id), stop):
            assert isinstance(found, Mapping)  # noqa: S101 - `embed_part` returned it
            made += int(found["made"])
        # What the tasks left: a document has more pieces than we thought.
        return made + self._meaning.keep_up([dossier_id], stop)

    def _tasks(self, dossier_id: str) -> Iterator[BulkTask]:
        counts = self._meaning.state(dossier_id).counts
        waiting = max(counts.waiting.values(), default=0) + counts.uncut * _PER_DOCUMENT
        for _ in range(-(-waiting // PIECES)):
            yield BulkTask(work=EMBED, dossier_id=dossier_id, options={})
