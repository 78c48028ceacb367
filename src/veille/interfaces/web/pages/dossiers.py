"""Creating a dossier."""

from __future__ import annotations

from typing import Annotated

from fastapi import Form, Response

from veille.errors import ConfigError
from veille.interfaces.web._routes import Pages
from veille.interfaces.web.actions.show import Showing
from veille.interfaces.web.requests.auth import KNOWN, Auth

routes = Pages("dossiers")


@routes.get("/dossiers/new", auth=KNOWN)
def _ask_name(show: Showing) -> Response:
    return show("dossier_new.html", name="", problem="")


@routes.post("/dossiers/new", auth=Auth("known", "write"))
def _make(show: Showing, name: Annotated[str, Form(max_length=1000)] = "") -> Response:
    try:
        made = show.call.access.create(name)
    except ConfigError as error:
        return show("dossier_new.html", status=400, name=name, problem=str(error))
    return show.go(f"/d/{made.id}", f"The dossier {made.name} is there. Watch something in it.")
