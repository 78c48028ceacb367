"""The tools over standard input and output, for the program that started us."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp.server.stdio import stdio_server

from veille.interfaces.mcp._tools import tool_server
from veille.interfaces.programs import Programs

if TYPE_CHECKING:
    from veille.bootstrap import App
    from veille.core.access.access import ScopeName
    from veille.services.people.access import Access


async def serve_pipe(app: App, access: Access, scopes: frozenset[ScopeName]) -> None:
    """Serve our parent program, on behalf of `access` and within these scopes, until it closes the pipe."""
    server = tool_server(Programs(app), lambda _: access, scopes)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())
