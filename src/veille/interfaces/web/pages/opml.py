"""Importing lists of feeds from another reader (OPML), with the result of each entry."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import File, Path, Response

from veille.core.schedule import HOUR
from veille.errors import ConfigError, NotFoundError, ThrottledError
from veille.interfaces.web._routes import Pages
from veille.interfaces.web.actions.show import Show, Showing
from veille.interfaces.web.requests.auth import within

routes = Pages("lists of feeds")

#: Reports of earlier imports that are linked.
_EARLIER = 10


@routes.get("/d/{dossier_id}/opml", auth=within("write"))
def _ask_list(show: Showing) -> Response:
    return _form(show)


@routes.post("/d/{dossier_id}/opml", auth=within("write"))
def _take_list(show: Showing, opml: Annotated[bytes, File()] = b"") -> Response:
    """Start an import."""
    if not opml:
        return _form(show, "Choose a file first.")
    try:
        begun = show.request.app.state.imports.begin(show, show.call.dossier.id, opml, HOUR)
    except (ConfigError, ThrottledError) as error:
        return _form(show, str(error))
    return show.go(f"/d/{show.call.dossier.id}/opml/{begun.id}")


@routes.get("/d/{dossier_id}/opml/{import_id}", auth=within("write"))
def _show_import(show: Showing, import_id: Annotated[str, Path(max_length=100)]) -> Response:
    """Progress of an import, and the result of each entry."""
    found = show.request.app.state.imports.find(show, import_id)
    if found is None:
        raise NotFoundError("This list is not known any more; its feeds are among the sources.", code="no_list")
    if "x-part" in show.request.headers:
        return show.part("opml_report.html", dossier=show.call.dossier, found=found)
    return show("opml_import.html", found=found)


def _form(show: Show, problem: str = "") -> Response:
    status = HTTPStatus.BAD_REQUEST if problem else HTTPStatus.OK
    earlier = show.reading.imports.recent(show.user_id, _EARLIER)
    return show("opml.html", status=status, problem=problem, earlier=earlier)
