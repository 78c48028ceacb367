"""Endpoints beside the routes, for programs with a token: MCP at `/mcp`, and the connectivity gateway.

Both check the token themselves, before anything else; the guard applies to them as to all routes.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from starlette.routing import Route

if TYPE_CHECKING:
    from collections.abc import Collection

    from starlette.types import ASGIApp, Receive, Scope, Send

    from veille.bootstrap import App


class _Later:
    """An ASGI application that is set once the service runs: its libraries take most of a second to import."""

    inner: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.inner(scope, receive, send)


class Doors:
    """The two routes, and the applications that answer them while `running` is open."""

    def __init__(self) -> None:
        self._tools, self._gateway = _Later(), _Later()
        self.routes = [Route("/mcp", self._tools), Route("/connectivity/{service:path}", self._gateway)]

    @asynccontextmanager
    async def running(self, app: App, hosts: Collection[str]) -> AsyncIterator[None]:
        """Answer requests, all with this `App`."""
        from veille.interfaces.connectivity import Gateway  # noqa: PLC0415 - see above
        from veille.interfaces.mcp import HttpTools  # noqa: PLC0415 - see above
        from veille.interfaces.programs import Programs  # noqa: PLC0415 - see above

        programs = Programs(app)
        tools = HttpTools(app, sorted(hosts), programs)
        self._tools.inner, self._gateway.inner = tools, Gateway(app, programs)
        async with tools.running():
            yield
