"""Errors as HTTP responses: always `{"error": text, "code": code}` for programs, a page for people."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import quote

from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse
from starlette.exceptions import HTTPException
from starlette.middleware.errors import ServerErrorMiddleware

from veille.bootstrap.clock import system_clock
from veille.core.urls import path_and_query
from veille.errors import StoreError, ThrottledError, VeilleError
from veille.interfaces.operations import status_of
from veille.interfaces.web.requests.calls import answered
from veille.interfaces.web.views.html import PAGE_HEADERS, page

if TYPE_CHECKING:
    from fastapi import FastAPI, Request
    from starlette.responses import Response

log = logging.getLogger("veille.web")

#: Where reader apps look for the text under another name.
_MINIFLUX = "/v1/"
#: Texts that programs written for the first service of this kind expect.
_TEXTS = {"bad_login": "identifiants invalides", "login": "non authentifie", "not_admin": "admin requis"}
_FOR_PEOPLE = {"not_admin": "Only administrators of this service see this page."}
#: Where programs call, whatever they say that they take.
_OF_PROGRAMS = ("/api/", "/mcp", "/connectivity/", "/reader/", "/accounts/", "/fever", _MINIFLUX)
#: One text for what does not exist and for what the caller may not see, so that they cannot be told apart.
_ABSENT = "There is nothing here for you."


def error_response(status: int, text: str, headers: dict[str, str] | None = None, *, code: str) -> JSONResponse:
    """The JSON response of an error."""
    return JSONResponse({"error": text, "code": code}, status, headers)


def _told(request: Request, status: int, text: str, headers: dict[str, str] | None = None, *, code: str) -> Response:
    """JSON for programs, a page for people; people who are not signed in are redirected to the login."""
    if request.url.path.startswith(_MINIFLUX):
        return JSONResponse({"error": text, "code": code, "error_message": text}, status, headers)
    if not _is_for_people(request):
        return error_response(status, text, headers, code=code)
    if status == HTTPStatus.UNAUTHORIZED:
        back = _whence(request)
        again = f"?next={quote(back)}" if back not in {"", "/"} else ""
        return RedirectResponse(f"/login{again}", HTTPStatus.SEE_OTHER)
    text = _FOR_PEOPLE.get(code, text)
    shown = page("error.html", status=status, text=text, code=code, phrase=HTTPStatus(status).phrase)
    return HTMLResponse(shown, status, {**(headers or {}), **PAGE_HEADERS})


def _whence(request: Request) -> str:
    """The requested page, or the page whose form was sent."""
    if request.method == "GET":
        asked = str(request.url)
    else:
        asked = request.headers.get("referer", "")
        # Compared before it is parsed: it may be anything.
        if asked.partition("://")[2].partition("/")[0] != request.headers.get("host"):
            return ""
    path, query = path_and_query(asked)
    return path + (f"?{query}" if query else "")


def _is_for_people(request: Request) -> bool:
    return not request.url.path.startswith(_OF_PROGRAMS) and "text/html" in request.headers.get("accept", "")


def too_large(most: int) -> JSONResponse:
    """The response to a request whose body is too large."""
    text = f"A request to this address may bring {most} bytes at most."
    return error_response(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, text, {"Connection": "close"}, code="too_large")


def tell_errors(api: FastAPI) -> None:
    """Register handlers, so that every failure of this API has the same JSON shape."""
    api.exception_handler(VeilleError)(_on_purpose)
    api.exception_handler(RequestValidationError)(_not_understood)
    api.exception_handler(HTTPException)(_by_status)
    # Not as an exception handler: its response would bypass the guard and miss the headers of every response.
    api.add_middleware(ServerErrorMiddleware, handler=_bug)


def _on_purpose(request: Request, error: VeilleError) -> Response:
    status, code = status_of(error), error.code
    headers = {}
    text = _TEXTS.get(code, str(error))
    if isinstance(error, ThrottledError):
        headers["Retry-After"] = str(max(1, (error.retry_at - system_clock() + 999) // 1000))
    if status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = "Bearer"
    if status == HTTPStatus.NOT_FOUND:
        code, text = "not_found", _ABSENT
    if isinstance(error, StoreError):
        log.error("%s [%s]", error, code)
        text = "The database failed; the log of the service says how."
        if error.is_passing:
            text, headers["Retry-After"] = "The database is busy, or does not answer for now: try again.", "5"
    return _told(request, status, text, headers, code=code)


async def _not_understood(request: Request, error: RequestValidationError) -> Response:
    auth = getattr(getattr(request.scope.get("route"), "endpoint", None), "auth", None)
    if auth is not None:
        try:
            await answered(request, auth, lambda _: None)
        except VeilleError as refused:
            return _on_purpose(request, refused)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return _told(request, HTTPStatus.BAD_REQUEST, f"{where}: {first['msg']}.", code="bad_request")


def _by_status(request: Request, error: HTTPException) -> Response:
    if error.status_code == HTTPStatus.NOT_FOUND:
        return _told(request, error.status_code, _ABSENT, code="not_found")
    if error.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        return too_large(int(error.detail))
    headers = dict(error.headers) if error.headers else None
    return _told(request, error.status_code, f"{error.detail}.", headers, code="bad_request")


def _bug(request: Request, error: Exception) -> Response:
    log.error("A request failed.", exc_info=error)
    text = "Internal error: see the log of the service."
    return _told(request, HTTPStatus.INTERNAL_SERVER_ERROR, text, code="bug")
