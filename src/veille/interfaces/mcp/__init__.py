"""The operations as tools of the Model Context Protocol, over standard input and output (`veille mcp`) and HTTP.

    await serve_pipe(app, access, scopes)    until the other side closes the pipe
    HttpTools(programs, hosts)               an ASGI application for one route, `/mcp`; its `running()` has to be
                                             entered for as long as it serves:  Route("/mcp", HttpTools(programs))

Importing this package loads the protocol's library, which takes most of a second: import it only where needed.
"""

from __future__ import annotations

from veille.interfaces.mcp._transports import HttpTools, serve_pipe

__all__ = ["HttpTools", "serve_pipe"]
