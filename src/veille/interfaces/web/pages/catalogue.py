"""Ready-made sources: one of them, or a whole category."""

from __future__ import annotations

from itertools import groupby
from typing import Annotated

from fastapi import Form, Response

from veille.errors import NotFoundError
from veille.interfaces.web._routes import Pages
from veille.interfaces.web.actions.looking import look_soon
from veille.interfaces.web.actions.show import Showing
from veille.interfaces.web.requests.auth import within

routes = Pages("catalogue")


@routes.get("/d/{dossier_id}/catalogue", auth=within("write"))
def _catalogue(show: Showing) -> Response:
    """The catalogue by category, and which entries are already watched here."""
    watched = {source.url: source.id for source in show.call.services.sources.all(show.call.dossier.id)}
    found = sorted(show.call.services.catalogue.entries(), key=lambda entry: (entry.category, entry.name))
    categories = [(name, list(group)) for name, group in groupby(found, key=lambda entry: entry.category)]
    return show("catalogue.html", categories=categories, watched=watched)


@routes.post("/d/{dossier_id}/catalogue", auth=within("write"))
def _add_ready_made(
    show: Showing,
    category: Annotated[str, Form(max_length=1000)] = "",
    entry: Annotated[str, Form(max_length=100)] = "",
) -> Response:
    """Watch one ready-made source, or a whole category."""
    dossier, catalogue = show.call.dossier, show.call.services.catalogue
    if not entry:
        poured = catalogue.pour(dossier.id, category)
        show.call.access.log("populate", dossier.id, category=category)
        added = sum(one.added for one in poured)
        said = f"{added} sources of {category} are watched now, {len(poured) - added} were already."
        return show.go(f"/d/{dossier.id}/catalogue", said)
    chosen = next((one for one in catalogue.entries() if one.id == entry), None)
    if chosen is None:
        raise NotFoundError("There is no such ready-made source.", code="no_entry")
    source = catalogue.add(dossier.id, chosen)
    if source is None:
        return show.go(f"/d/{dossier.id}/catalogue", "That one is watched already.")
    show.call.access.log("add_source", dossier.id, source=source.id)
    look_soon(show, dossier.id, source)
    return show.go(f"/d/{dossier.id}/sources/{source.id}", f"Watching {source.name}. The first look is being taken.")
