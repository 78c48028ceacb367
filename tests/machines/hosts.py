"""The hosts, in the namespace `hub`: `hosts.py FILE`. Every request is noted with the time at which the kernel got it.

So it does not matter how late this process notices one, on a busy machine. `/go` leads to the next host.
"""

from __future__ import annotations

import socket
import struct
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PORT = 8080
_IPV4 = 0x0800
#: `SO_TIMESTAMPNS` of Linux, which Python does not name.
_TIMESTAMP = 35
#: `SO_RCVBUFFORCE`, likewise: room for what comes while this process waits for its turn.
_LARGE = 33
_TEXT = "The ferry to the outer islands leaves at dawn and comes back after dark, every day but Sunday. " * 5


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        here = str(self.connection.getsockname()[0])
        prefix, _, number = here.rpartition(".")
        if self.path == "/go":
            self.send_response(302)
            after = int(number) % int(sys.argv[2]) + 1
            self.send_header("Location", f"http://{prefix}.{after}:{PORT}/target")
            body = b""
        else:
            status = 404 if self.path == "/robots.txt" else 200
            self.send_response(status)
            self.send_header("Content-Type", "text/html")
            body = f"<title>{here}</title><article><h1>{self.path}</h1><p>{_TEXT}</p></article>".encode()
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


def note(path: Path) -> None:
    """Write a line for every request: nanoseconds, who asked, and which host."""
    tap = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(_IPV4))
    tap.setsockopt(socket.SOL_SOCKET, _TIMESTAMP, 1)
    tap.setsockopt(socket.SOL_SOCKET, _LARGE, 1 << 24)
    threading.Thread(target=_note, args=(tap, path), daemon=True).start()


def _note(tap: socket.socket, path: Path) -> None:
    with path.open("a", buffering=1) as file:
        while True:
            packet, beside, _, sender = tap.recvmsg(2048, 256)
            head = (packet[0] & 15) * 4
            data = packet[head + (packet[head + 12] >> 4) * 4 :] if packet[9] == socket.IPPROTO_TCP else b""
            # Loopback shows each packet twice; what comes by a cable, once.
            if data.startswith(b"GET ") and sender[0] != "lo":
                seconds, nanoseconds = struct.unpack("qq", beside[0][2])
                who, host = socket.inet_ntoa(packet[12:16]), socket.inet_ntoa(packet[16:20])
                file.write(f"{seconds * 1_000_000_000 + nanoseconds} {who} {host}\n")


if __name__ == "__main__":
    ThreadingHTTPServer.request_queue_size = 512
    server = ThreadingHTTPServer(("0.0.0.0", PORT), _Handler)
    note(Path(sys.argv[1]))
    print("ready", flush=True)
    server.serve_forever()
