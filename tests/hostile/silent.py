"""Opens many connections to a service and says nothing, or only half of a request. Ends with its standard input.

Started as `python silent.py PORT COUNT`; prints how many it has open, and when it ends how many were closed on it.
"""

from __future__ import annotations

import resource
import socket
import subprocess
import sys
from types import TracebackType
from typing import Self

#: They come from this many addresses, so that no cap for each alone is enough.
ADDRESSES = 50
_HALF = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "


class Silent:
    """The process that holds them."""

    def __init__(self, port: int, count: int) -> None:
        self._command = [sys.executable, __file__, str(port), str(count)]
        self.opened = self.closed = 0

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.opened = int(self._process.stdout.readline())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closed = int(self._process.communicate()[0] or 0)


def _connected(port: int, number: int) -> socket.socket | None:
    client = socket.socket()
    client.settimeout(0.5)
    try:
        client.bind((f"127.9.0.{1 + number % ADDRESSES}", 0))
        client.connect(("127.0.0.1", port))
        if number % 2:
            client.sendall(_HALF)
    except OSError:
        client.close()
        return None
    return client


def _is_closed(client: socket.socket) -> bool:
    client.setblocking(False)  # noqa: FBT003 - its only spelling
    try:
        # What was said before it was closed, such as 408, does not matter.
        while client.recv(4096):
            pass
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def main() -> None:
    port, count = int(sys.argv[1]), int(sys.argv[2])
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, count + 100), hard))
    found = [client for number in range(count) if (client := _connected(port, number)) is not None]
    print(len(found), flush=True)
    sys.stdin.read()
    print(sum(map(_is_closed, found)))


if __name__ == "__main__":
    main()
