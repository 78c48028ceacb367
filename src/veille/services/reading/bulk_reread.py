"""Read kept answers again in several processes, or on several machines: each task is a range of answers.

A task reads and commits its range as `RereadService` does, and returns what it counted. Progress is in the store: what
was read is marked in the transaction that wrote it, so whatever is killed, another run does the rest and nothing twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from veille.core.models import Document
from veille.core.reread.judged import RereadRevision
from veille.ports.outside import BulkTask
from veille.reader_version import reader_version
from veille.services.reading.reread import MOST_SHOWN, RereadReport, RereadService, RereadWish

if TYPE_CHECKING:
    from veille.ports.outside import Bulk

#: The name of these tasks.
REREAD = "reread"
#: Answers of one of the first tasks, so that every core has one soon; and how many are so small.
RANGE = 256
FIRST = 16
#: Answers of a later one: starting a process costs as much as reading a thousand short answers.
LARGE_RANGE = 1024
_LINES = TypeAdapter(list[RereadRevision])
_COUNTS = TypeAdapter(dict[str, int])


def reread_part(rereading: RereadService, task: BulkTask) -> dict[str, Any]:
    """Do one task, in the process that it was given to; what it counted, and the first lines."""
    report = rereading.reread(task.dossier_id, RereadWish(**task.options))  # type: ignore[arg-type]
    return {"counts": dict(report.counts), "lines": _LINES.dump_python(report.lines, mode="json")}


class BulkReread:
    """The same as `RereadService.reread`, in parts."""

    def __init__(self, rereading: RereadService, bulk: Bulk) -> None:
        self._rereading = rereading
        self._bulk = bulk

    def reread(
        self,
        dossier_id: str,
        wish: RereadWish,
        progress: Callable[[RereadReport], None] = lambda _: None,
        stop: Callable[[], bool] = lambda: False,
    ) -> RereadReport:
        """Read again what is wanted of a dossier; `progress` is called after every task, with the counts so far."""
        report = RereadReport(reader=reader_version())
        for found in self._bulk.run(self._tasks(dossier_id, wish), stop):
            assert isinstance(found, Mapping)  # noqa: S101 - `reread_part` returned it
            report.counts.update(_COUNTS.validate_python(found["counts"]))
            lines = _LINES.validate_python(found["lines"])
            report.lines += lines[: MOST_SHOWN - len(report.lines)]
            progress(report)
        report.progress = self._rereading.progress(dossier_id, wish)
        return report

    def _tasks(self, dossier_id: str, wish: RereadWish) -> Iterator[BulkTask]:
        sizes = chain(repeat(RANGE, FIRST), repeat(LARGE_RANGE))
        for part in self._rereading.ranges(dossier_id, wish, sizes):
            yield BulkTask(work=REREAD, dossier_id=dossier_id, options=asdict(replace(part, limit=None)))


_LINES.rebuild(_types_namespace={"Document": Document})
