"""Import very large WARC files in several processes, or on several machines that see them.

Each task has a part of all pages: it reads the files for their captures, and commits them as `WarcImport` does. What is
no newer than what is stored of its page is left out in the transaction that would write it. So a task that is killed is
run again, one that runs twice stores nothing twice, and the captures of a page are stored in the order of their dates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from veille.core.warc.captures import WarcPart, WarcProblem
from veille.ports.outside import BulkTask
from veille.services.archives.importing import MOST_SHOWN, WarcImport, WarcImportReport

if TYPE_CHECKING:
    from veille.ports.outside import Bulk

#: The name of these tasks.
IMPORT = "warc"
#: A part for so many bytes of the files, so that a kill costs little; each reads the headers of all records.
PART_BYTES = 32 << 20
FEWEST, MOST = 8, 128
_COUNTS = TypeAdapter(dict[str, int])
_PROBLEMS = TypeAdapter(list[WarcProblem])


def import_part(imports: Callable[[WarcPart], WarcImport], task: BulkTask) -> dict[str, Any]:
    """Do one task, in the process that it was given to; what it counted, and the first problems."""
    given: Any = task.options
    paths, part = [Path(path) for path in given["paths"]], WarcPart(given["number"], given["of"])
    report = imports(part).run(task.dossier_id, paths, given["name"], most_bytes=given["most_bytes"])
    return {"counts": dict(report.counts), "problems": _PROBLEMS.dump_python(report.problems, mode="json")}


class BulkImport:
    """The same as `WarcImport.run`, in parts."""

    def __init__(self, bulk: Bulk) -> None:
        self._bulk = bulk

    def run(
        self,
        dossier_id: str,
        paths: Sequence[Path],
        name: str = "",
        *,
        most_bytes: int = 0,
        progress: Callable[[WarcImportReport], None] = lambda _: None,
        stop: Callable[[], bool] = lambda: False,
    ) -> WarcImportReport:
        """Import these files; `progress` is called after every task, with the counts so far."""
        report = WarcImportReport()
        told: set[tuple[str, int, str]] = set()
        tasks = list(_tasks(dossier_id, paths, name, most_bytes))
        done = 0
        for found in self._bulk.run(tasks, stop):
            assert isinstance(found, Mapping)  # noqa: S101 - `import_part` returned it
            done += 1
            counts, problems = _COUNTS.validate_python(found["counts"]), _PROBLEMS.validate_python(found["problems"])
            # What a file as a whole has is found by each part.
            new = {_place(one): one for one in problems if _place(one) not in told}
            counts["problems"] = counts.get("problems", 0) - len(problems) + len(new)
            report.problems += list(new.values())[: MOST_SHOWN - len(report.problems)]
            told.update(new)
            report.counts.update(counts)
            progress(report)
        report.is_stopped = done < len(tasks)
        return report


def _place(problem: WarcProblem) -> tuple[str, int, str]:
    return problem.file, problem.offset, problem.code


def _tasks(dossier_id: str, paths: Sequence[Path], name: str, most_bytes: int) -> Iterator[BulkTask]:
    size = sum(path.stat().st_size for path in paths if path.is_file())
    parts = min(MOST, max(FEWEST, size // PART_BYTES))
    given = {"paths": [str(path.absolute()) for path in paths], "name": name, "most_bytes": most_bytes, "of": parts}
    for number in range(parts):
        yield BulkTask(work=IMPORT, dossier_id=dossier_id, options={**given, "number": number})
