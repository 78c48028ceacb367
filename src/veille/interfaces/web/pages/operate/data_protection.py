"""What is kept about people: where, how long, who is told; one's own export, and the deletion of one's account."""

from __future__ import annotations

from typing import Annotated

from fastapi import Form, Response
from fastapi.responses import RedirectResponse

from veille.core.report.trash import TRASH_MS
from veille.core.schedule import DAY
from veille.errors import AccessError, ConfigError, SinkError, StoreError
from veille.interfaces.web._routes import PERSON, Pages
from veille.interfaces.web.actions.show import Show, Showing

routes = Pages("data_protection")


@routes.get("/data-protection", auth=PERSON)
def _data_protection(show: Showing) -> Response:
    return _page(show)


@routes.post("/data-protection/delete", auth=PERSON, asks_outside=True)
def _delete_account(
    show: Showing,
    email: Annotated[str, Form(max_length=500)] = "",
    password: Annotated[str, Form(max_length=2000)] = "",
    anyway: Annotated[bool, Form()] = False,  # noqa: FBT002 - a box of a form
) -> Response:
    """Delete one's account; the user confirms by typing its name and password."""
    me = show.app.accounts.me(show.access)
    if email.strip().casefold() != me.email:
        return _page(show, f"Nothing is deleted: type {me.email} to delete your account.", email)
    try:
        show.app.accounts.confirm(show.access, password)
        show.app.leaving.deleting.account(show.access, anyway=anyway)
    except (AccessError, ConfigError, SinkError, StoreError) as error:
        return _page(show, str(error), email)
    response = RedirectResponse("/login", 303)
    response.headers["Clear-Site-Data"] = '"cache", "cookies", "storage"'
    show.take_back(response)
    return response


def _page(show: Show, problem: str = "", typed: str = "") -> Response:
    settings = show.app.settings
    return show(
        "data_protection.html",
        me=show.app.accounts.me(show.access),
        plan=show.app.leaving.deleting.plan(show.access),
        sinks=sorted(show.app.sinks),
        model=settings.model.kind,
        trash_days=TRASH_MS // DAY,
        searches=settings.searches_kept,
        problem=problem,
        typed=typed,
    )
