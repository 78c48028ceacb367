"""Adding many sources at once: ready-made ones, and lists that other programs wrote."""

from __future__ import annotations

from itertools import groupby
from typing import Annotated

from fastapi import File, Form, Path, Response

from veille.core.schedule import HOUR
from veille.errors import ConfigError, NotFoundError, ThrottledError
from veille.interfaces.web._routes import Pages, within
from veille.interfaces.web.actions.errands import check_soon
from veille.interfaces.web.actions.show import Show, Showing

routes = Pages("lists")

#: Reports of earlier imports that are linked.
_EARLIER = 10


@routes.get("/d/{dossier_id}/catalogue", auth=within("write"))
def _catalogue(show: Showing) -> Response:
    """The catalogue by category, and which entries are already watched here."""
    watched = {source.url: source.id for source in show.services.sources.all(show.dossier.id)}
    found = sorted(show.services.catalogue.entries(), key=lambda entry: (entry.category, entry.name))
    categories = [(name, list(group)) for name, group in groupby(found, key=lambda entry: entry.category)]
    return show("catalogue.html", categories=categories, watched=watched)


@routes.post("/d/{dossier_id}/catalogue", auth=within("write"))
def _add_ready_made(
    show: Showing,
    category: Annotated[str, Form(max_length=1000)] = "",
    entry: Annotated[str, Form(max_length=100)] = "",
) -> Response:
    """Watch one ready-made source, or a whole category."""
    dossier, catalogue = show.dossier, show.services.catalogue
    if not entry:
        poured = catalogue.pour(dossier.id, category)
        show.access.log("populate", dossier.id, category=category)
        added = sum(one.added for one in poured)
        said = f"{added} sources of {category} are watched now, {len(poured) - added} were already."
        return show.go(f"{show.home}/catalogue", said)
    chosen = next((one for one in catalogue.entries() if one.id == entry), None)
    if chosen is None:
        raise NotFoundError("There is no such ready-made source.", code="no_entry")
    source = catalogue.add(dossier.id, chosen)
    if source is None:
        return show.go(f"{show.home}/catalogue", "That one is watched already.")
    show.access.log("add_source", dossier.id, source=source.id)
    check_soon(show, dossier.id, source)
    return show.go(f"{show.home}/sources/{source.id}", f"Watching {source.name}. The first check has started.")


@routes.get("/d/{dossier_id}/opml", auth=within("write"))
def _ask_list(show: Showing) -> Response:
    return _form(show)


@routes.post("/d/{dossier_id}/opml", auth=within("write"))
def _take_list(
    show: Showing, opml: Annotated[bytes, File()] = b"", text: Annotated[str, Form(max_length=400_000)] = ""
) -> Response:
    """Start an import of a file, or of addresses that were pasted."""
    data = opml or text.strip().encode()
    if not data:
        return _form(show, "Choose a file first, or paste addresses.")
    try:
        begun = show.request.app.state.imports.begin(show, show.dossier.id, data, HOUR)
    except (ConfigError, ThrottledError) as error:
        return _form(show, str(error), text)
    return show.go(f"{show.home}/opml/{begun.id}")


@routes.get("/d/{dossier_id}/opml/{import_id}", auth=within("write"))
def _show_import(show: Showing, import_id: Annotated[str, Path(max_length=100)]) -> Response:
    """Progress of an import, and the result of each entry."""
    found = show.request.app.state.imports.find(show, import_id)
    if found is None:
        raise NotFoundError("The report of this import is gone; its feeds are among the sources.", code="no_list")
    if "x-part" in show.request.headers:
        return show.part("opml_report.html", dossier=show.dossier, found=found)
    return show("opml_import.html", found=found)


def _form(show: Show, problem: str = "", text: str = "") -> Response:
    earlier = show.reading.imports.recent(show.user_id, _EARLIER)
    return show("opml.html", problem=problem, text=text, earlier=earlier)
