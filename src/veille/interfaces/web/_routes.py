"""Registering routes, each with who may call it.

    @routes.get("/api/dossiers/{dossier_id}/stats", auth=within("read"))
    def stats(call: Caller) -> Stats: ...

`auth` has no default. It is checked before the handler runs: that the caller is authenticated, that their session or
token has the scope, and that their role in the dossier of the URL allows it; else 401, 403 or 404.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import wraps
from typing import Any, TypeVar, get_type_hints

from fastapi import APIRouter, Depends, Request

from veille.interfaces.web.requests.auth import ADMIN, ANYBODY, APP, KNOWN, PERSON, Permission, within
from veille.interfaces.web.requests.calls import Call, Caller, FromCall, Patience, answered, calling

__all__ = [
    "ADMIN",
    "ANYBODY",
    "APP",
    "KNOWN",
    "PERSON",
    "PROBLEMS",
    "AppRoutes",
    "Caller",
    "Pages",
    "Permission",
    "Routes",
    "within",
]

#: Error responses that any route may give. They are put into the description of the API when somebody reads it: a model
#: for each of them at each route took most of the time in which a service starts.
PROBLEMS = {
    400: "The request is not valid.",
    401: "Not authenticated.",
    403: "Not allowed.",
    404: "Not found, or not visible to the caller.",
    409: "It exists already, or it is the last one and has to stay.",
    413: "The request is too large.",
    415: "The content type is not JSON.",
    421: "The service does not serve this host name.",
    429: "Too many requests, or a limit is reached.",
    503: "Busy: try again.",
}

_Handler = TypeVar("_Handler", bound=Callable[..., Any])


class Routes:
    """Routes of one topic; `auth` says who may call each of them."""

    def __init__(self, topic: str) -> None:
        self.router = APIRouter(tags=[topic])

    def get(self, path: str, *, auth: Permission, **given: Any) -> Callable[[_Handler], _Handler]:
        return self.add("GET", path, auth=auth, **given)

    def post(self, path: str, *, auth: Permission, **given: Any) -> Callable[[_Handler], _Handler]:
        return self.add("POST", path, auth=auth, **given)

    def put(self, path: str, *, auth: Permission, **given: Any) -> Callable[[_Handler], _Handler]:
        return self.add("PUT", path, auth=auth, **given)

    def delete(self, path: str, *, auth: Permission, **given: Any) -> Callable[[_Handler], _Handler]:
        return self.add("DELETE", path, auth=auth, **given)

    def add(
        self, method: str, path: str, *, auth: Permission, waits: bool = False, asks_outside: bool = False, **given: Any
    ) -> Callable[[_Handler], _Handler]:
        """Register a route. One that waits (`waits`) takes a `Waiting` instead of a `Caller`.

        `asks_outside`: it calls other servers before it answers. Slow servers then delay only routes like this one.
        """
        check = _waiting(auth) if waits else _entering(auth, asks_outside=asks_outside)
        extra = {"x-auth": {"who": auth.who, "scope": auth.scope}}
        public: dict[str, Any] = {"security": []} if auth.who == "anybody" else {}

        def register(handler: _Handler) -> _Handler:
            name = getattr(handler, "__name__", "route").lstrip("_")
            self.router.add_api_route(
                path,
                handler,
                methods=[method],
                name=name,
                operation_id=name,
                # The `App` is given back when the response is built, not when the client has read all of it.
                dependencies=[Depends(check, scope="function")],
                openapi_extra=extra | public,
                **given,
            )
            return handler

        return register


class Pages(Routes):
    """Routes that show pages to people; not part of the API."""

    def add(
        self, method: str, path: str, *, auth: Permission, waits: bool = False, asks_outside: bool = False, **given: Any
    ) -> Callable[[_Handler], _Handler]:
        given |= {"include_in_schema": False, "response_model": None}
        if waits:
            return super().add(method, path, auth=auth, waits=True, **given)

        def register(handler: _Handler) -> _Handler:
            name = getattr(handler, "__name__", "page").lstrip("_")
            extra = {"x-auth": {"who": auth.who, "scope": auth.scope}}
            page = _page(handler, auth, asks_outside=asks_outside)
            self.router.add_api_route(path, page, methods=[method], name=name, openapi_extra=extra, **given)
            return handler

        return register


class AppRoutes(Pages):
    """Routes of reader apps, which no browser calls. A handler reads the form, and then asks for a `Call`."""

    def app(self, method: str, path: str, auth: Permission = APP) -> Callable[[_Handler], _Handler]:
        return self.add(method, path, auth=auth, waits=True)


def _page(handler: Callable[..., Any], auth: Permission, *, asks_outside: bool) -> Callable[..., Any]:
    """The handler with its authorization: both run in one turn of a thread, and nothing is injected around them."""
    hints = get_type_hints(handler, include_extras=True)
    made = {
        name: mark.make
        for name, hint in hints.items()
        for mark in getattr(hint, "__metadata__", ())
        if isinstance(mark, FromCall)
    }

    @wraps(handler)
    async def page(request_: Request, **given: Any) -> Any:
        def answer(call: Call) -> Any:
            return handler(**{name: make(call) for name, make in made.items()}, **given)

        return await answered(request_, auth, answer, asks_outside=asks_outside)

    signature = inspect.signature(handler)
    request = inspect.Parameter("request_", inspect.Parameter.KEYWORD_ONLY, annotation=Request)
    others = [one.replace(kind=request.kind) for name, one in signature.parameters.items() if name not in made]
    page.__signature__ = signature.replace(parameters=[request, *others])  # type: ignore[attr-defined]
    # Parameters are read before: what is wrong with them is told to those only who are let in (`requests/errors.py`).
    page.auth = auth  # type: ignore[attr-defined]
    return page


def _entering(auth: Permission, *, asks_outside: bool) -> Callable[[Request], AsyncIterator[None]]:
    async def enter(request: Request) -> AsyncIterator[None]:
        async with calling(request, auth, asks_outside=asks_outside) as call:
            request.state.call = call
            yield

    return enter


def _waiting(auth: Permission) -> Callable[[Request], Awaitable[None]]:
    async def wait(request: Request) -> None:
        request.state.patience = Patience(request, auth)

    return wait
