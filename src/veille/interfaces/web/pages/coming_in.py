"""Logging in and out."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import Form, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from veille.errors import AccessError
from veille.interfaces.web._routes import Pages
from veille.interfaces.web.requests.auth import ANYBODY
from veille.interfaces.web.requests.calls import Caller
from veille.interfaces.web.requests.cookies import hand_out, take_back
from veille.interfaces.web.views.html import PAGE_HEADERS, page

routes = Pages("coming in")

Next = Annotated[str, Query(alias="next", max_length=2000)]


@routes.get("/login", auth=ANYBODY)
def _ask_who(call: Caller, after: Next = "/") -> Response:  # noqa: ARG001 - no authentication needed
    return _form(after)


@routes.post("/login", auth=ANYBODY)
def _login(
    call: Caller,
    request: Request,
    email: Annotated[str, Form(max_length=500)] = "",
    password: Annotated[str, Form(max_length=2000)] = "",
    after: Annotated[str, Form(alias="next", max_length=2000)] = "/",
) -> Response:
    try:
        entry = call.app.accounts.login(email, password, call.visit, call.cookie)
    except AccessError as error:
        return _form(after, email, str(error))
    response = RedirectResponse(_local(after), HTTPStatus.SEE_OTHER)
    hand_out(request, response, entry.cookie)
    return response


@routes.post("/logout", auth=ANYBODY)
def _logout(call: Caller, request: Request) -> Response:
    call.app.accounts.logout(call.cookie)
    response = RedirectResponse("/login", HTTPStatus.SEE_OTHER)
    take_back(request, response)
    return response


def _form(after: str, email: str = "", problem: str = "") -> Response:
    status = HTTPStatus.UNAUTHORIZED if problem else HTTPStatus.OK
    return HTMLResponse(page("login.html", after=after, email=email, problem=problem), status, PAGE_HEADERS)


def _local(path: str) -> str:
    """The path if it is on this site, else `/`: the login must not be an open redirect."""
    is_ours = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()
    return path if is_ours else "/"
