"""The tools over HTTP, and over standard input and output for the program that started us."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import JSONResponse

from veille.errors import VeilleError
from veille.interfaces.mcp._tools import tool_server
from veille.interfaces.operations import status_of
from veille.interfaces.programs import Programs

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractAsyncContextManager

    from mcp.server.context import ServerRequestContext
    from starlette.types import Receive, Scope, Send

    from veille.bootstrap import App
    from veille.core.access.access import ScopeName
    from veille.services.people.access import Access


LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_ACCESS = "veille.access"


class HttpTools:
    """An ASGI application for one route. `hosts`: further host names of this service, besides loopback."""

    def __init__(self, programs: Programs, hosts: Iterable[str] = ()) -> None:
        self._programs = programs
        names = [form for host in (*LOOPBACK, *hosts) for form in (host, f"{host}:*")]
        origins = [f"{scheme}://{name}" for name in names for scheme in ("http", "https")]
        self._sessions = StreamableHTTPSessionManager(
            app=tool_server(self._programs, _access_of),
            json_response=True,
            stateless=True,
            security_settings=TransportSecuritySettings(allowed_hosts=names, allowed_origins=origins),
        )

    def running(self) -> AbstractAsyncContextManager[None]:
        """The context of the sessions: enter once, before the first request, and leave after the last."""
        return self._sessions.run()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            access = await self._programs.admit(scope)
            access.require("mcp")
        except VeilleError as error:
            status = status_of(error)
            headers = {"WWW-Authenticate": "Bearer"} if status == 401 else {}  # noqa: PLR2004 - the header's own status
            await JSONResponse({"error": str(error), "code": error.code}, status, headers)(scope, receive, send)
            return
        await self._sessions.handle_request({**scope, _ACCESS: access}, receive, send)


def _access_of(context: ServerRequestContext[Any, Any]) -> Access:
    if context.request is None:
        raise TypeError("The library hands on no request.")
    access: Access = context.request.scope[_ACCESS]
    return access


async def serve_pipe(app: App, access: Access, scopes: frozenset[ScopeName]) -> None:
    """Serve our parent program, on behalf of `access` and within these scopes, until it closes the pipe."""
    server = tool_server(Programs(app), lambda _: access, scopes)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())
