"""Who may call a route, and what it is handed: no route is registered without saying so.

    @routes.get("/api/dossiers/{dossier_id}/stats", auth=within("read"))
    def stats(call: Caller) -> Stats: ...

`auth` has no default. What it stands for is checked before the route is reached: that somebody is known, that their way
in has the scope, and that their role in the dossier of the address allows it; else 401, 403 or 404.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeVar

from fastapi import APIRouter, Depends, Request

from veille.interfaces.web.requests.auth import Auth
from veille.interfaces.web.requests.calls import Patience, calling

_Handler = TypeVar("_Handler", bound=Callable[..., Any])


class Routes:
    """Routes of one topic; `auth` says who may call each."""

    def __init__(self, topic: str) -> None:
        self.router = APIRouter(tags=[topic])

    def get(self, path: str, *, auth: Auth, **given: Any) -> Callable[[_Handler], _Handler]:
        return self.add("GET", path, auth=auth, **given)

    def post(self, path: str, *, auth: Auth, **given: Any) -> Callable[[_Handler], _Handler]:
        return self.add("POST", path, auth=auth, **given)

    def put(self, path: str, *, auth: Auth, **given: Any) -> Callable[[_Handler], _Handler]:
        return self.add("PUT", path, auth=auth, **given)

    def delete(self, path: str, *, auth: Auth, **given: Any) -> Callable[[_Handler], _Handler]:
        return self.add("DELETE", path, auth=auth, **given)

    def add(
        self, method: str, path: str, *, auth: Auth, waits: bool = False, asks_outside: bool = False, **given: Any
    ) -> Callable[[_Handler], _Handler]:
        """Register a route. One that waits is handed a `Waiting` and no `Caller`.

        One that asks somebody outside before it answers says so: those who take their time hold up only such as these.
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
                # It has its program until its answer is there, not until the last reader has all of it.
                dependencies=[Depends(check, scope="function")],
                openapi_extra=extra | public,
                **given,
            )
            return handler

        return register


class Pages(Routes):
    """Routes that show pages to people: no part of the API."""

    def add(self, method: str, path: str, *, auth: Auth, **given: Any) -> Callable[[_Handler], _Handler]:
        return super().add(method, path, auth=auth, include_in_schema=False, response_model=None, **given)


def _entering(auth: Auth, *, asks_outside: bool) -> Callable[[Request], AsyncIterator[None]]:
    async def enter(request: Request) -> AsyncIterator[None]:
        async with calling(request, auth, asks_outside=asks_outside) as call:
            request.state.call = call
            yield

    return enter


def _waiting(auth: Auth) -> Callable[[Request], Awaitable[None]]:
    async def wait(request: Request) -> None:
        request.state.patience = Patience(request, auth)

    return wait
