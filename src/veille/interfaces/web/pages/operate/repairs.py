"""The repairs of a dossier; proposed ones first."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Response

from veille.errors import ConfigError, NotFoundError
from veille.interfaces.web._routes import Pages, within
from veille.interfaces.web.actions.show import Showing
from veille.interfaces.web.views.mended import Mended

routes = Pages("repairs")

RepairId = Annotated[str, Path(max_length=100)]
_PAGE = 100


@routes.get("/d/{dossier_id}/repairs", auth=within("read"))
def _repairs(show: Showing) -> Response:
    repairs, dossier_id = show.services.repairs, show.dossier.id
    proposed, found = repairs.open(dossier_id, _PAGE), repairs.all(dossier_id, _PAGE)
    sources = {id_: show.reading.sources.get(id_) for id_ in {one.source_id for one in (*proposed, *found)}}
    waiting = {one.id for one in proposed}
    return show(
        "repairs.html",
        proposed=[Mended(one, sources[one.source_id]) for one in proposed],
        settled=[Mended(one, sources[one.source_id]) for one in found if one.id not in waiting],
    )


@routes.post("/d/{dossier_id}/repairs/{repair_id}/{act}", auth=within("write"))
def _settle(show: Showing, repair_id: RepairId, act: str) -> Response:
    """Apply or undo a repair; if it was settled meanwhile, or the source was changed since, say so."""
    settle = {"apply": show.services.repairs.apply, "undo": show.services.repairs.undo}.get(act)
    if settle is None:
        raise NotFoundError("A repair can be applied or undone.")
    try:
        done = settle(show.dossier.id, repair_id)
    except ConfigError as error:
        if error.code not in {"repair_done", "repair_stale", "duplicate_source"}:
            raise
        return show.go(f"{show.home}/repairs", str(error))
    show.access.log(f"{act}_repair", show.dossier.id, repair=repair_id)
    said = "The repair is applied." if act == "apply" else "The proposal is dismissed."
    if act == "undo" and done.applied_at:
        said = "The repair is undone; it is not applied again automatically."
    return show.go(f"{show.home}/sources/{done.source_id}", said)
