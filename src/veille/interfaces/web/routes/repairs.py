"""Failing sources: applied and proposed repairs, reset, probe, and the sweep over all of them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path
from pydantic import Field

from veille.core.http.credentials import shown_options
from veille.core.models import Json
from veille.core.records import RepairRecord
from veille.interfaces.operations import shapes
from veille.interfaces.web._routes import ADMIN, Caller, Routes, within
from veille.interfaces.web.requests.paging import Limit
from veille.interfaces.web.views.shapes import ID, Body, Done, RestView, example

routes = Routes("repairs")

RepairId = Annotated[str, Path(max_length=100)]
_HEALTH = "/api/admin/source-health"


class Failing(RestView):
    """A failing source."""

    dossier_id: str
    source: shapes.Source


class SweptView(RestView):
    """The result of probing a failing source."""

    model_config = example(
        dossier_id=ID, source_id=ID, source_name="Prices", url="https://example.org/", status_code=200, recovered=True
    )

    dossier_id: str
    source_id: str
    source_name: str
    url: str
    status_code: int
    recovered: bool
    error: str | None = None


class WantedProbe(Body):
    """The address to probe."""

    url: str = Field(min_length=1, max_length=4096, examples=["https://example.org/prices"])


class ProbeView(RestView):
    """The response of an address; `status_code` is 0 when it did not answer."""

    model_config = example(url="https://example.org/prices", status_code=200)

    url: str
    status_code: int
    error: str | None = None


class RepairView(RestView):
    """A change to a source that a rule made or proposes, with its proof and what is needed to undo it."""

    id: str
    source_id: str
    source_name: str
    rule: str
    proof: str
    before: dict[str, Any]
    after: dict[str, Any]
    at: int
    applied_at: int | None = None
    undone_at: int | None = None

    @classmethod
    def of(cls, record: RepairRecord) -> RepairView:
        """The view of a repair; credentials in headers are hidden."""
        return cls.showing(record, before=_shown(record.before), after=_shown(record.after))


@routes.get(_HEALTH, auth=ADMIN, response_model_exclude_none=True)
def _source_health(call: Caller) -> list[Failing]:
    """The failing sources of all dossiers."""
    return [
        Failing(dossier_id=dossier.id, source=shapes.Source.of(source))
        for dossier, source in call.app.overview.failing(call.access)
    ]


@routes.post(f"{_HEALTH}/sweep", auth=ADMIN, asks_outside=True, response_model_exclude_none=True)
def _sweep(call: Caller) -> list[SweptView]:
    """Probe every failing source of all dossiers; those that answer again are reset."""
    call.access.log("sweep")
    with call.app.sweeper() as sweeper:
        swept = sweeper.sweep(one.dossier.id for one in call.app.overview.sizes(call.access) if one.sources is not None)
    return [SweptView.showing(one, error=one.error or None) for one in swept]


@routes.post(f"{_HEALTH}/probe", auth=ADMIN, asks_outside=True, response_model_exclude_none=True)
def _probe(call: Caller, body: WantedProbe) -> ProbeView:
    """Probe an address, without reading its content, through the same door as all fetches."""
    with call.app.sweeper() as sweeper:
        found = sweeper.probe(body.url)
    return ProbeView.showing(found, error=found.error or None)


@routes.post("/api/dossiers/{dossier_id}/sources/{source_id}/reset", auth=within("write"))
def _reset_source(call: Caller, source_id: Annotated[str, Path(max_length=4096)]) -> Done:
    """Reset a source: its failures are forgotten, its original interval is restored, and it is due at once."""
    source = call.services.repairs.reset(call.dossier.id, source_id)
    call.access.log("reset_source", call.dossier.id, source=source.id)
    return Done(status="reset")


@routes.get("/api/dossiers/{dossier_id}/repairs", auth=within("read"))
def _list_repairs(call: Caller, limit: Limit = 100) -> list[RepairView]:
    """Applied and proposed repairs, newest first."""
    return [RepairView.of(one) for one in call.services.repairs.all(call.dossier.id, limit)]


@routes.post("/api/dossiers/{dossier_id}/repairs/{repair_id}/apply", auth=within("write"))
def _apply_repair(call: Caller, repair_id: RepairId) -> RepairView:
    """Apply a repair that was only proposed, or was undone."""
    applied = call.services.repairs.apply(call.dossier.id, repair_id)
    call.access.log("apply_repair", call.dossier.id, repair=repair_id)
    return RepairView.of(applied)


@routes.post("/api/dossiers/{dossier_id}/repairs/{repair_id}/undo", auth=within("write"))
def _undo_repair(call: Caller, repair_id: RepairId) -> RepairView:
    """Undo a repair."""
    undone = call.services.repairs.undo(call.dossier.id, repair_id)
    call.access.log("undo_repair", call.dossier.id, repair=repair_id)
    return RepairView.of(undone)


def _shown(change: Json) -> Json:
    return change | {"config": shown_options(change["config"])} if "config" in change else change
