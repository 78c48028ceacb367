"""Asks `/health` again and again, in a process of its own, and beside it a server that does nothing.

Both are asked in turn, so the second tells what the machine itself takes at that moment: what is beyond is the
service's.
Started as `python prober.py PORT`; ends with its standard input and prints what it found as JSON.
"""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass
from types import TracebackType
from typing import Self

EVERY_S = 0.1
TIMEOUT_S = 30.0
#: Asks for what the other is asked for, and answers as shortly.
_CONTROL = """
import socket
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
while True:
    client, _ = server.accept()
    with client:
        client.recv(4096)
        client.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\nok")
"""


@dataclass
class Probed:
    """What was found: how long the slowest answers took, and how many there were and failed."""

    asked: int = 0
    failed: int = 0
    worst_s: float = 0.0
    #: When that was, since the prober began.
    worst_at_s: float = 0.0
    #: The same of the server that does nothing.
    machine_s: float = 0.0
    problem: str = ""


class Prober:
    """The process that asks."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.found = Probed()

    def __enter__(self) -> Self:
        command = [sys.executable, __file__, str(self._port)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        out = self._process.communicate()[0]
        self.found = Probed(**json.loads(out))


def _ask(port: int) -> str:
    """What was wrong with the answer, if anything."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)
    try:
        connection.request("GET", "/health")
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException) as error:
        return repr(error)
    finally:
        connection.close()
    return "" if status == 200 else f"status {status}"


def _timed(port: int) -> tuple[float, str]:
    began = time.monotonic()
    problem = _ask(port)
    return time.monotonic() - began, problem


def _until_closed(over: threading.Event) -> None:
    sys.stdin.read()
    over.set()


def main() -> None:
    over = threading.Event()
    threading.Thread(target=_until_closed, args=(over,), daemon=True).start()
    found, began = Probed(), time.monotonic()
    with subprocess.Popen([sys.executable, "-c", _CONTROL], stdout=subprocess.PIPE, text=True) as control:
        assert control.stdout is not None
        other = int(control.stdout.readline())
        while not over.wait(EVERY_S):
            took, problem = _timed(int(sys.argv[1]))
            found.asked += 1
            if problem:
                found.failed, found.problem = found.failed + 1, problem
            if took > found.worst_s:
                found.worst_s, found.worst_at_s = took, time.monotonic() - began
            found.machine_s = max(found.machine_s, _timed(other)[0])
        control.kill()
    print(json.dumps(asdict(found)))


if __name__ == "__main__":
    main()
