"""Ways out of a dossier: files, feeds, lists, and what became of what was handed to sinks."""

from __future__ import annotations

from fastapi import Response

from veille.interfaces.web._auth import within
from veille.interfaces.web._routes import Pages
from veille.interfaces.web._show import Showing

routes = Pages("exports")

_DELIVERIES = 50


@routes.get("/d/{dossier_id}/exports", auth=within("read"))
def _exports(show: Showing) -> Response:
    """What can be taken along, and what was handed on."""
    call = show.call
    with show.store() as store:
        recent = store.handovers.recent(limit=_DELIVERIES)
        names = sorted({*call.app.settings.sinks, *(one.sink for one in recent)})
        sinks = [(name, store.handovers.last(name)) for name in names]
    return show(
        "exports.html",
        api=f"/api/dossiers/{call.dossier.id}",
        address=call.url,
        cursor=str(call.services.exports.end([call.dossier.id])),
        sinks=sinks,
        recent=recent,
    )
