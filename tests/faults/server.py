"""The fault server: `/f/<fault>;k=v;k=v/<anything>`, on plain and on broken TLS ports, in a process of its own.

`/ctl/stats` tells how often each fault was asked for. State is kept by the option `key`, so tests may run side by side.
Started by `Faults`, which waits until it listens; alone: `python tests/faults/server.py`.
"""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent.parent))

from faults import _broken, _misleading
from faults._certificates import Authority
from faults._wire import FAULTS, NEVER, Memory, Talk

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

NAMES = tuple(sorted(FAULTS))
assert _broken.__name__ != _misleading.__name__  # both are imported for the faults they register


class Faults:
    """The running server. Ports: `http`, `tls_ok`, `tls_expired`, `tls_wrong_host`, `tls_self_signed`, `tls_hang`,
    `tls_garbage`, `closed` and `full` (its backlog is full, so connecting hangs).
    """

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.authority = Path(self._folder.name) / "authority.pem"

    def __enter__(self) -> Self:
        command = [sys.executable, __file__, self._folder.name]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._process.stdout is not None
        self.ports: dict[str, int] = json.loads(self._process.stdout.readline())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()
        self._folder.cleanup()

    def url(self, fault: str, host: str = "127.0.0.1", port: str = "http") -> str:
        scheme = "https" if port.startswith("tls") else "http"
        return f"{scheme}://{host}:{self.ports[port]}/f/{fault}/x"


async def _serve(memory: Memory, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            line = (await reader.readline()).decode("latin-1")
            if not line.strip():
                return
            path = line.split(" ")[1]
            headers = {}
            while (header := (await reader.readline()).decode("latin-1").strip()) != "":
                name, _, value = header.partition(":")
                headers[name.lower()] = value.strip()
            name, _, options = path.removeprefix("/f/").partition("/")[0].partition(";")
            given = dict(part.partition("=")[::2] for part in options.split(";") if part)
            memory.hits[name] += 1
            port = writer.get_extra_info("sockname")[1]
            talk = Talk(reader, writer, path, given, headers, memory.of(f"{name};{given.get('key', '')}"), port)
            if path.startswith("/ctl/stats"):
                await talk.reply(json.dumps(memory.hits).encode(), Content_Type="application/json")
            elif name in FAULTS:
                await FAULTS[name](talk)
            else:
                await talk.reply(b"no such fault", status=404)
            if writer.is_closing():
                return
    finally:
        writer.close()


async def _quiet(memory: Memory, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError, asyncio.IncompleteReadError, ValueError):
        await _serve(memory, reader, writer)


async def _tls_hang(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(NEVER)
    writer.close()


async def _tls_garbage(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"This is not TLS.\r\n" * 10)
    writer.close()


async def _listen(handler: Handler, context: ssl.SSLContext | None = None) -> int:
    # All of 127.0.0.0/8 answers, so every test can have hosts of its own.
    server = await asyncio.start_server(handler, "0.0.0.0", 0, ssl=context, limit=2**20)
    return int(server.sockets[0].getsockname()[1])


def _full() -> tuple[socket.socket, list[socket.socket]]:
    """A listener whose backlog is full and never emptied: what a silent firewall looks like from outside."""
    listener = socket.socket()
    listener.bind(("0.0.0.0", 0))
    listener.listen(0)
    waiting = []
    for _ in range(4):
        client = socket.socket()
        client.setblocking(False)  # noqa: FBT003 - its only spelling
        client.connect_ex(("127.0.0.1", listener.getsockname()[1]))
        waiting.append(client)
    return listener, waiting


async def _main(folder: Path) -> None:
    memory = Memory()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _quiet(memory, reader, writer)

    authority = Authority(folder)
    closed = socket.socket()
    closed.bind(("127.0.0.1", 0))
    full, _waiting = _full()
    ports = {
        "http": await _listen(serve),
        "tls_ok": await _listen(serve, authority.context("127.0.0.1", "good.test")),
        "tls_expired": await _listen(serve, authority.context("127.0.0.1", days=(-20, -10))),
        "tls_wrong_host": await _listen(serve, authority.context("somebody.else.test")),
        "tls_self_signed": await _listen(serve, authority.context("127.0.0.1", self_signed=True)),
        "tls_hang": await _listen(_tls_hang),
        "tls_garbage": await _listen(_tls_garbage),
        "closed": closed.getsockname()[1],
        "full": full.getsockname()[1],
    }
    print(json.dumps(ports), flush=True)
    # The parent's end of the pipe closes when it ends, however it ends: nothing is left behind.
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(_main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp())))
