"""Runs with their lines, deliveries to sinks; and the hosts, for administrators."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import Path, Query, Response

from veille.core.models import Change
from veille.errors import NotFoundError
from veille.interfaces.web._routes import ADMIN, Caller, Routes, within
from veille.interfaces.web.requests.paging import Limit
from veille.interfaces.web.views.shapes import ID, RestView, example

routes = Routes("runs")


class RunView(RestView):
    """A run, with its counts."""

    model_config = example(id=ID, started_at=1790000000000, finished_at=1790000004000, counts={"new": 2, "same": 9})

    id: str
    started_at: int
    finished_at: int | None
    counts: dict[Change, int]


class RunLine(RestView):
    """The result of a run for one document or address."""

    at: int
    source_id: str
    source_name: str
    change: Change
    url: str
    title: str
    code: str
    message: str
    status_code: int
    document_id: str
    duration_ms: int


class RunReport(RunView):
    """A run with its lines."""

    model_config = example(id=ID, started_at=1790000000000, finished_at=None, counts={"new": 1}, items=[])

    items: list[RunLine]


class HandoverView(RestView):
    """One attempt to deliver changes to a sink; an empty `code` means success."""

    model_config = example(sink="buffer", at=1790000000000, first=1, last=9, changes=9, delivered=9, attempt=1)

    sink: str
    at: int
    first: int
    last: int
    changes: int
    delivered: int
    attempt: int
    code: str = ""
    error: str = ""
    retry_at: int | None = None


class HostView(RestView):
    """Requests to a host and its responses."""

    model_config = example(
        host="example.org",
        paused_until=0,
        delay_ms=0,
        failures_in_a_row=0,
        last_status=200,
        last_at=1790000000000,
        robots_error="",
        tally={"requests": 120, "not_modified": 90},
    )

    host: str
    paused_until: int
    delay_ms: int
    failures_in_a_row: int
    last_status: int
    last_at: int
    robots_error: str
    tally: dict[str, int]


@routes.get("/api/dossiers/{dossier_id}/runs", auth=within("read"))
def _list_runs(
    call: Caller,
    response: Response,
    limit: Limit = 50,
    before: Annotated[int | None, Query(ge=0, le=2**53, description="The header X-Next of the previous page.")] = None,
) -> list[RunView]:
    """The runs, newest first, without their lines."""
    found = call.reading.runs.recent(limit, before)
    if len(found) == limit:
        response.headers["X-Next"] = str(found[-1].started_at)
    return list(map(RunView.showing, found))


@routes.get("/api/dossiers/{dossier_id}/runs/{run_id}", auth=within("read"))
def _get_run(call: Caller, run_id: Annotated[str, Path(max_length=200)]) -> RunReport:
    """A run with all its lines."""
    run = call.reading.runs.report(run_id)
    if run is None:
        raise NotFoundError("There is no such run.", code="no_run")
    lines = [RunLine.showing(one, status_code=one.status, document_id=one.document_id or "") for one in run.items]
    return RunReport.showing(run, items=lines)


@routes.get("/api/dossiers/{dossier_id}/deliveries", auth=within("read"))
def _list_deliveries(
    call: Caller, limit: Limit = 50, sink: Annotated[str | None, Query(max_length=200)] = None
) -> list[HandoverView]:
    """Deliveries to the sinks, newest first."""
    return list(map(HandoverView.showing, call.services.exports.deliveries(call.dossier.id, sink, limit)))


@routes.get("/api/admin/hosts", auth=ADMIN)
def _list_hosts(call: Caller, limit: Limit = 100) -> list[HostView]:
    """The hosts that all dossiers have sent requests to, the busiest first; no addresses."""
    return [
        HostView.showing(state, host=state.key, failures_in_a_row=state.failures, tally=asdict(tally))
        for state, tally in call.app.hosts.ledger()[:limit]
    ]
