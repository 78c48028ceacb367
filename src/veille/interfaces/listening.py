"""The address that the service listens on."""

from __future__ import annotations

import os
import socket

from veille.errors import SettingError

#: Connections that the system queues until they are accepted: many may come at the same time.
BACKLOG = 2048
#: Where metrics are told without a token.
METRICS_HOST = "127.0.0.1"
METRICS_OPTION = "--metrics-port"


def listen(host: str, port: int, options: str = "--host and --port") -> socket.socket:
    """A socket that listens there; it stays open while the processes that accept from it are replaced.

    The error names the options that choose another address.
    """
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return socket.create_server(address, family=family, backlog=BACKLOG)
    except OSError as error:
        raise taken(host, port, error, options) from error


def check_metrics_port(port: int | None) -> None:
    """SettingError if it is taken: the web process, which opens it, would be started again and again."""
    if port:
        listen(METRICS_HOST, port, METRICS_OPTION).close()


def taken(host: str, port: int, error: OSError, options: str) -> SettingError:
    """The error for an address that cannot be listened on. Trying again does not help: another program has it."""
    # What `socket.create_server` says of an error repeats the address; that of a name has a number of its own.
    is_plain = error.errno is not None and not isinstance(error, socket.gaierror)
    said = os.strerror(error.errno or 0) if is_plain else error.strerror or str(error)
    text = f"It cannot listen on {host} port {port} ({said}): choose another with {options}."
    return SettingError(text, code="cannot_listen")


def url_of(listening: socket.socket) -> str:
    """The address of a listening socket."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
