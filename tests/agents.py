"""Agents and other programs that come in with a token, by the official client of the protocol and by plain HTTP."""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import uvicorn
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent, Tool
from starlette.applications import Starlette
from starlette.routing import Mount, Route

import veille
from veille.interfaces.connectivity import Gateway
from veille.interfaces.mcp import HttpTools
from veille.interfaces.programs import Programs


@dataclass
class Agent:
    """A connection of the official client."""

    client: Client
    portal: BlockingPortal

    def tools(self) -> dict[str, Tool]:
        listed = self.portal.call(self.client.list_tools)
        return {tool.name: tool for tool in listed.tools}

    def call(self, tool: str, **arguments: Any) -> CallToolResult:
        return self.portal.call(partial(self.client.call_tool, f"veille_{tool}", arguments))

    def get(self, tool: str, **arguments: Any) -> Any:
        """The JSON of a call that does not fail."""
        result = self.call(tool, **arguments)
        text = text_of(result)
        assert not result.is_error, text
        return json.loads(text)

    def failure(self, tool: str, **arguments: Any) -> str:
        """The message of a call that fails."""
        result = self.call(tool, **arguments)
        assert result.is_error, text_of(result)
        return text_of(result)


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


@contextmanager
def _connected(server: Any) -> Iterator[Agent]:
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(Client(server)) as client:
        yield Agent(client, portal)


@contextmanager
def agent_over_http(url: str, token: str) -> Iterator[Agent]:
    with _connected(_transport(f"{url}/mcp", token)) as agent:
        yield agent


@asynccontextmanager
async def _transport(url: str, token: str) -> AsyncIterator[Any]:
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as client,
        streamable_http_client(url, http_client=client) as streams,
    ):
        yield streams


@contextmanager
def agent_over_a_pipe(data: Path, *arguments: str, **variables: str) -> Iterator[Agent]:
    command = Path(sys.executable).parent / "veille"
    environment = {"VEILLE_DATA": str(data), "PATH": os.environ["PATH"], **variables}
    with _connected(StdioServerParameters(command=str(command), args=["mcp", *arguments], env=environment)) as agent:
        yield agent


@contextmanager
def serving(app: veille.App, hosts: tuple[str, ...] = ()) -> Iterator[str]:
    """The tools and services of a program on a port of loopback; the address."""
    programs = Programs(app)
    tools = HttpTools(programs, hosts)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with tools.running():
            yield

    routes = [Route("/mcp", endpoint=tools), Mount("/connectivity", Gateway(programs))]
    site = Starlette(routes=routes, lifespan=lifespan)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(site, log_level="warning", ws="none", lifespan="on")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=partial(server.run, sockets=[listening]))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
