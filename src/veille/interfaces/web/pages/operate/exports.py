"""Exports of a dossier: files, feeds, lists, and the deliveries to sinks."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import Query, Response

from veille.core.outgoing.cursors import parse_cursor
from veille.errors import ConfigError
from veille.interfaces.web._routes import Pages, within
from veille.interfaces.web.actions.show import Show, Showing

routes = Pages("exports")

_DELIVERIES = 50


@routes.get("/d/{dossier_id}/exports", auth=within("read"))
def _exports(show: Showing) -> Response:
    """What can be exported, and what was delivered."""
    return _page(show)


@routes.get("/d/{dossier_id}/exports/changes", auth=within("export"))
def _changes(
    show: Showing,
    since: Annotated[str, Query(max_length=200)] = "",
    form: Annotated[Literal["jsonl", "csv", "parquet", "chunks"], Query(alias="format")] = "jsonl",
) -> Response:
    """Export what changed since a cursor; it is checked here, so that an error is shown beside the form."""
    try:
        show.services.exports.events([show.dossier.id], parse_cursor(since), 1)
    except ConfigError as error:
        return _page(show, since, str(error))
    return show.go(f"/api/dossiers/{show.dossier.id}/export?{urlencode({'format': form, 'since': since})}")


def _page(show: Show, since: str = "", problem: str = "") -> Response:
    exports, dossier_id = show.services.exports, show.dossier.id
    recent = exports.deliveries(dossier_id, limit=_DELIVERIES)
    names = sorted({*show.app.settings.sinks, *(one.sink for one in recent)})
    sinks = [(name, next(iter(exports.deliveries(dossier_id, name, 1)), None)) for name in names]
    return show(
        "exports.html",
        since=since,
        problem=problem,
        api=f"/api/dossiers/{dossier_id}",
        address=show.url,
        cursor=str(exports.end([dossier_id])),
        sinks=sinks,
        recent=recent,
    )
