"""The repairs of a dossier; proposed ones first."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Response

from veille.core.records import RepairRecord
from veille.errors import ConfigError
from veille.interfaces.web._routes import Pages
from veille.interfaces.web.actions.show import Show, Showing
from veille.interfaces.web.requests.auth import within
from veille.interfaces.web.views.mended import Mended

routes = Pages("repairs")

RepairId = Annotated[str, Path(max_length=100)]
_PAGE = 100


@routes.get("/d/{dossier_id}/repairs", auth=within("read"))
def _repairs(show: Showing) -> Response:
    repairs, dossier_id = show.call.services.repairs, show.call.dossier.id
    proposed, found = repairs.open(dossier_id, _PAGE), repairs.all(dossier_id, _PAGE)
    sources = {id_: show.reading.sources.get(id_) for id_ in {one.source_id for one in (*proposed, *found)}}
    waiting = {one.id for one in proposed}
    return show(
        "repairs.html",
        proposed=[Mended(one, sources[one.source_id]) for one in proposed],
        settled=[Mended(one, sources[one.source_id]) for one in found if one.id not in waiting],
    )


@routes.post("/d/{dossier_id}/repairs/{repair_id}/apply", auth=within("write"))
def _apply(show: Showing, repair_id: RepairId) -> Response:
    call = show.call
    try:
        done = call.services.repairs.apply(call.dossier.id, repair_id)
    except ConfigError as error:
        return _refused(show, error)
    call.access.log("apply_repair", call.dossier.id, repair=repair_id)
    return _done(show, done, "The repair is applied.")


@routes.post("/d/{dossier_id}/repairs/{repair_id}/undo", auth=within("write"))
def _undo(show: Showing, repair_id: RepairId) -> Response:
    call = show.call
    try:
        done = call.services.repairs.undo(call.dossier.id, repair_id)
    except ConfigError as error:
        return _refused(show, error)
    call.access.log("undo_repair", call.dossier.id, repair=repair_id)
    said = "It is as it was before; the same is not done again by itself." if done.applied_at else "It is dropped."
    return _done(show, done, said)


def _done(show: Show, record: RepairRecord, said: str) -> Response:
    return show.go(f"/d/{show.call.dossier.id}/sources/{record.source_id}", said)


def _refused(show: Show, error: ConfigError) -> Response:
    """Show why: the repair was settled meanwhile, or the source was changed since."""
    if error.code not in {"repair_done", "repair_stale", "duplicate_source"}:
        raise error
    return show.go(f"/d/{show.call.dossier.id}/repairs", str(error))
