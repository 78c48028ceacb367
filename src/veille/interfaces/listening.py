"""The address that the service listens on."""

from __future__ import annotations

import socket

from veille.errors import ConfigError

#: Connections that the system keeps until they are taken: many may come at the same moment.
BACKLOG = 2048


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there; whoever takes connections from it may come and go."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return socket.create_server(address, family=family, backlog=BACKLOG)
    except OSError as error:
        raise taken(host, port, error) from error


def taken(host: str, port: int, error: OSError) -> ConfigError:
    """What to say when it cannot listen."""
    return ConfigError(
        f"It cannot listen on {host} port {port} ({error.strerror}): choose another with --host and --port.",
        code="cannot_listen",
    )


def url_of(listening: socket.socket) -> str:
    """Where it listens."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
