"""Runs, and the report of each, line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlencode

from fastapi import Path, Query, Response

from veille.core.models import Change
from veille.core.report.source_status import WORTH
from veille.errors import ConfigError
from veille.interfaces.web._routes import Pages, within
from veille.interfaces.web.actions.show import Showing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from veille.core.records import RunItem
    from veille.ports.contents import RunReader

routes = Pages("runs")

_PAGE = 50
_LINES = 100
#: Sources shown beside a report: those with the most notable results.
_SOURCES = 50
#: A place in a report: the change, the source and the number of the last line that was shown.
_Place = tuple[Change, str, int]


@routes.get("/d/{dossier_id}/runs", auth=within("read"))
def _runs(show: Showing, before: Annotated[int | None, Query(ge=0, le=2**53)] = None) -> Response:
    """The runs, the newest first."""
    found = show.reading.runs.recent(_PAGE, before)
    older = f"?before={found[-1].started_at}" if len(found) == _PAGE else ""
    return show("runs.html", runs=found, order=WORTH, older=older)


@routes.get("/d/{dossier_id}/runs/{run_id}", auth=within("read"))
def _run(
    show: Showing,
    run_id: Annotated[str, Path(max_length=200)],
    change: Annotated[Change | None, Query()] = None,
    source: Annotated[str, Query(max_length=200)] = "",
    after: Annotated[str, Query(max_length=300)] = "",
) -> Response:
    """The report of a run: its results in all and by source, and its lines."""
    runs = show.reading.runs
    run = runs.one(run_id)
    tallies = runs.tallies(run_id, _SOURCES) if not (source or after) else []
    chosen_source = show.reading.sources.get(source) if source else None
    lines, last = _lines(runs, run_id, [change] if change else WORTH, source, _place(after))
    chosen = {name: value for name, value in (("change", change), ("source", source)) if value}
    more = f"?{urlencode(chosen | {'after': '.'.join(map(str, last))})}" if last else ""
    return show(
        "run.html",
        run=run,
        order=WORTH,
        tallies=tallies,
        most=_SOURCES,
        source_name=chosen_source.name if chosen_source else "",
        lines=lines,
        change=change,
        source_id=source,
        more=more,
        is_first=not after,
    )


def _lines(
    runs: RunReader, run_id: str, changes: Sequence[Change], source_id: str, after: _Place | None
) -> tuple[list[RunItem], _Place | None]:
    """A page of lines, and where it ended if there may be more."""
    found: list[RunItem] = []
    for change in changes:
        if after is not None and WORTH.index(change) < WORTH.index(after[0]):
            continue
        place = after[1:] if after is not None and after[0] is change else ("", 0)
        rows = runs.lines(run_id, change, place, _LINES - len(found), source_id)
        found += [line for _, line in rows]
        if len(found) == _LINES:
            return found, (change, *rows[-1][0])
    return found, None


def _place(text: str) -> _Place | None:
    if not text:
        return None
    change, _, rest = text.partition(".")
    source_id, _, seq = rest.rpartition(".")
    if change not in set(Change) or not seq.isdecimal() or len(seq) > 18:  # noqa: PLR2004 - digits of a 64-bit number
        raise ConfigError("This is no position in the report: start at its first page.", code="bad_cursor")
    return Change(change), source_id, int(seq)
