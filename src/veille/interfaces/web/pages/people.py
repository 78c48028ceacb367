"""Users and the audit log: for administrators."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Form, Path, Query, Response

from veille.errors import ConfigError, NotFoundError
from veille.interfaces.web._routes import Pages
from veille.interfaces.web.actions.show import Show, Showing
from veille.interfaces.web.requests.auth import ADMIN

routes = Pages("people")

_LINES = 100

UserId = Annotated[str, Path(max_length=200)]
Text = Annotated[str, Form(max_length=1000)]


@routes.get("/users", auth=ADMIN)
def _users(show: Showing) -> Response:
    return _page(show)


@routes.post("/users", auth=ADMIN)
def _add(show: Showing, email: Text = "", name: Text = "", *, is_admin: Annotated[bool, Form()] = False) -> Response:
    """Invite a user; the invitation link is in this response and nowhere else."""
    try:
        user, link = show.call.app.accounts.users.invite(show.call.access, email, name, is_admin=is_admin)
    except ConfigError as error:
        return _page(show, problem=str(error), email=email, name=name, is_admin=is_admin)
    return _page(show, made=user, link=f"{show.call.url}/setup?token={link}")


@routes.post("/users/{user_id}/remove", auth=ADMIN)
def _remove(show: Showing, user_id: UserId) -> Response:
    try:
        user = show.call.app.accounts.users.remove(show.call.access, user_id)
    except NotFoundError:
        raise
    except ConfigError as error:
        return _page(show, problem=str(error))
    return show.go("/users", f"{user.email} cannot come in any more; what they did stays on record.")


@routes.post("/users/{user_id}/admin", auth=ADMIN)
def _set_admin(show: Showing, user_id: UserId, *, value: Annotated[bool, Form()] = False) -> Response:
    try:
        user = show.call.app.accounts.users.set_admin(show.call.access, user_id, is_admin=value)
    except NotFoundError:
        raise
    except ConfigError as error:
        return _page(show, problem=str(error))
    said = "manages this service now" if value else "does not manage this service any more"
    return show.go("/users", f"{user.email} {said}, and has to log in again.")


@routes.get("/audit", auth=ADMIN)
def _log(show: Showing, before: Annotated[int | None, Query(ge=1, le=2**53)] = None) -> Response:
    """The audit log of the whole service."""
    lines = show.call.app.accounts.audit(show.call.access, None, _LINES, before)
    older = f"/audit?before={lines[-1].seq}" if len(lines) == _LINES else ""
    names = {dossier.id: dossier.name for dossier in show.call.access.dossiers()}
    return show("audit.html", lines=lines, older=older, names=names)


def _page(show: Show, *, problem: str = "", made: object = None, link: str = "", **typed: Any) -> Response:
    values = {"email": "", "name": "", "is_admin": False} | typed
    return show(
        "users.html",
        status=400 if problem else 200,
        users=show.call.app.accounts.users.all(show.call.access),
        problem=problem,
        made=made,
        link=link,
        user_id=show.user_id,
        **values,
    )
