"""The address vectors, and a canary on loopback that must hear nothing."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

VECTORS = Path(__file__).parent / "cases" / "egress" / "vectors.tsv"
ROWS = [line.split("\t") for line in VECTORS.read_text(encoding="ascii").splitlines() if line and line[0] != "#"]


class Canary:
    """Listens on loopback, IPv4 and IPv6, and counts."""

    def __init__(self) -> None:
        self.hits = 0
        self._sockets = [socket.create_server(("127.0.0.1", 0))]
        if socket.has_ipv6:
            self._sockets.append(socket.create_server(("::1", 0), family=socket.AF_INET6))
        self.ports = {sock.getsockname()[1] for sock in self._sockets}
        for sock in self._sockets:
            threading.Thread(target=self._listen, args=(sock,), daemon=True).start()

    def _listen(self, sock: socket.socket) -> None:
        while True:
            try:
                sock.accept()[0].close()
            except OSError:
                return
            self.hits += 1

    def close(self) -> None:
        for sock in self._sockets:
            sock.shutdown(socket.SHUT_RDWR)
            sock.close()
