"""Lists of feeds from another reader (OPML): taken in, with what became of each entry."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import File, Path, Response

from veille.core.schedule import HOUR
from veille.errors import ConfigError, NotFoundError, ThrottledError
from veille.interfaces.web._auth import within
from veille.interfaces.web._routes import Pages
from veille.interfaces.web._show import Show, Showing

routes = Pages("lists of feeds")

#: Entries in the report: those that cannot be watched first.
_SHOWN = 300


@routes.get("/d/{dossier_id}/opml", auth=within("write"))
def _ask_list(show: Showing) -> Response:
    return _form(show)


@routes.post("/d/{dossier_id}/opml", auth=within("write"))
def _take_list(show: Showing, opml: Annotated[bytes, File()] = b"") -> Response:
    """Begin to take a list in."""
    if not opml:
        return _form(show, "Choose a file first.")
    try:
        begun = show.request.app.state.imports.begin(show, show.call.dossier.id, opml, HOUR)
    except (ConfigError, ThrottledError) as error:
        return _form(show, str(error))
    return show.go(f"/d/{show.call.dossier.id}/opml/{begun.id}")


@routes.get("/d/{dossier_id}/opml/{import_id}", auth=within("write"))
def _show_import(show: Showing, import_id: Annotated[str, Path(max_length=100)]) -> Response:
    """How far it is, and what became of each entry."""
    imports = show.request.app.state.imports
    found = imports.find(import_id, show.user_id, show.call.dossier.id)
    if found is None:
        raise NotFoundError("This list is not known any more; its feeds are among the sources.", code="no_list")
    taken = sorted(found.taken[:], key=lambda one: not one.is_bad)
    values = {"found": found, "taken": taken[:_SHOWN], "left_out": max(0, len(taken) - _SHOWN)}
    if "x-part" in show.request.headers:
        return show.part("opml_report.html", dossier=show.call.dossier, **values)
    return show("opml_import.html", **values)


def _form(show: Show, problem: str = "") -> Response:
    status = HTTPStatus.BAD_REQUEST if problem else HTTPStatus.OK
    return show("opml.html", status=status, problem=problem)
