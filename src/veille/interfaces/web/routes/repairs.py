"""Sources that fail: what was repaired and is proposed, beginning anew, probing, and asking after all of them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path
from pydantic import BaseModel, Field

from veille.core.http.credentials import shown_options
from veille.core.models import Json
from veille.core.records import RepairRecord
from veille.interfaces.operations import shapes
from veille.interfaces.web._routes import Routes
from veille.interfaces.web.requests.auth import ADMIN, within
from veille.interfaces.web.requests.calls import Caller
from veille.interfaces.web.requests.paging import Limit
from veille.interfaces.web.views.shapes import ID, Body, Done, example

routes = Routes("repairs")

RepairId = Annotated[str, Path(max_length=100)]
_HEALTH = "/api/admin/source-health"


class Failing(BaseModel):
    """A source that fails."""

    dossier_id: str
    source: shapes.Source


class SweptView(BaseModel):
    """What became of a source that was asked after."""

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
    """What is to be probed."""

    url: str = Field(min_length=1, max_length=4096, examples=["https://example.org/prices"])


class ProbeView(BaseModel):
    """How an address answered; 0 when it did not."""

    model_config = example(url="https://example.org/prices", status_code=200)

    url: str
    status_code: int
    error: str | None = None


class RepairView(BaseModel):
    """A change to a source that a rule made or proposes, with its proof and what it takes to undo it."""

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
        """What stands in headers and may be a credential is hidden."""
        return cls(
            id=record.id,
            source_id=record.source_id,
            source_name=record.source_name,
            rule=record.rule,
            proof=record.proof,
            before=_shown(record.before),
            after=_shown(record.after),
            at=record.at,
            applied_at=record.applied_at,
            undone_at=record.undone_at,
        )


@routes.get(_HEALTH, auth=ADMIN, response_model_exclude_none=True)
def _source_health(call: Caller) -> list[Failing]:
    """The sources that fail, of all dossiers."""
    return [
        Failing(dossier_id=dossier.id, source=shapes.Source.of(source))
        for dossier, source in call.app.overview.failing(call.access)
    ]


@routes.post(f"{_HEALTH}/sweep", auth=ADMIN, asks_outside=True, response_model_exclude_none=True)
def _sweep(call: Caller) -> list[SweptView]:
    """Ask after every source that fails, of all dossiers; what answers again begins anew."""
    call.access.log("sweep")
    with call.app.sweeper() as sweeper:
        swept = sweeper.sweep(one.dossier.id for one in call.app.overview.sizes(call.access) if one.sources is not None)
    return [
        SweptView(
            dossier_id=one.dossier_id,
            source_id=one.source_id,
            source_name=one.source_name,
            url=one.url,
            status_code=one.status_code,
            recovered=one.recovered,
            error=one.error or None,
        )
        for one in swept
    ]


@routes.post(f"{_HEALTH}/probe", auth=ADMIN, asks_outside=True, response_model_exclude_none=True)
def _probe(call: Caller, body: WantedProbe) -> ProbeView:
    """Ask an address, without looking at its content, through the same door as everything."""
    with call.app.sweeper() as sweeper:
        found = sweeper.probe(body.url)
    return ProbeView(url=found.url, status_code=found.status_code, error=found.error or None)


@routes.post("/api/dossiers/{dossier_id}/sources/{source_id}/reset", auth=within("write"))
def _reset_source(call: Caller, source_id: Annotated[str, Path(max_length=4096)]) -> Done:
    """Begin anew: failures are forgotten, the original interval counts, and it is looked at at once."""
    source = call.services.repairs.reset(call.dossier.id, source_id)
    call.access.log("reset_source", call.dossier.id, source=source.id)
    return Done(status="reset")


@routes.get("/api/dossiers/{dossier_id}/repairs", auth=within("read"))
def _list_repairs(call: Caller, limit: Limit = 100) -> list[RepairView]:
    """What was repaired and what is proposed, newest first."""
    return [RepairView.of(one) for one in call.services.repairs.all(call.dossier.id, limit)]


@routes.post("/api/dossiers/{dossier_id}/repairs/{repair_id}/apply", auth=within("write"))
def _apply_repair(call: Caller, repair_id: RepairId) -> RepairView:
    """Apply what was only proposed, or was undone."""
    applied = call.services.repairs.apply(call.dossier.id, repair_id)
    call.access.log("apply_repair", call.dossier.id, repair=repair_id)
    return RepairView.of(applied)


@routes.post("/api/dossiers/{dossier_id}/repairs/{repair_id}/undo", auth=within("write"))
def _undo_repair(call: Caller, repair_id: RepairId) -> RepairView:
    """Put back what a repair changed."""
    undone = call.services.repairs.undo(call.dossier.id, repair_id)
    call.access.log("undo_repair", call.dossier.id, repair=repair_id)
    return RepairView.of(undone)


def _shown(change: Json) -> Json:
    return change | {"config": shown_options(change["config"])} if "config" in change else change
