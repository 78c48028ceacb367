"""What stands in the way to a server for good is told at once; what may pass is waited for."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psycopg
import pytest

from postgres_server import PostgresServer
from veille.adapters.stores.postgres._pools import PostgresPools, borrowed
from veille.errors import StoreError
from veille.interfaces.cli._failures import NOT_CONFIGURED, fail

_PATIENCE_S = 0.6


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """Of a server without encryption that asks Ada for her password."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = int(listening.getsockname()[1])
    with PostgresServer(listen_addresses="127.0.0.1", port=str(port)) as server:
        (server.folder / "data" / "pg_hba.conf").write_text(
            "local all all trust\nhost all ada 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n"
        )
        with psycopg.connect(f"{server.url()}&port={port}", autocommit=True) as connection:
            connection.execute("CREATE ROLE ada LOGIN PASSWORD 'hush'")
            connection.execute("SELECT pg_reload_conf()")
        yield port


def _refusal(url: str) -> tuple[StoreError, float]:
    """What is said of it, and after how many seconds."""
    began = time.monotonic()
    with pytest.raises(StoreError) as caught:
        PostgresPools(url, patience_s=_PATIENCE_S)
    return caught.value, time.monotonic() - began


@pytest.mark.parametrize(
    "place",
    [
        "ada@127.0.0.1:{}/postgres",
        "ada:wrong@127.0.0.1:{}/postgres",
        # Another address of the host has no server.
        "ada@127.0.0.1:1,127.0.0.1:{}/postgres",
        "ada@127.0.0.1:{},127.0.0.1:1/postgres",
        "postgres@127.0.0.1:{}/postgres?sslmode=require",
        "postgres@127.0.0.1:{}/postgres?sslmode=verify-full&sslrootcert=/failed: No such file or directory",
        "postgres@127.0.0.1:{}/postgres?require_auth=scram-sha-256",
        "postgres@127.0.0.1:{}/postgres?channel_binding=require",
        "postgres@127.0.0.1:{}/standby",
    ],
)
def test_who_is_not_let_in_is_told_so_at_once(port: int, place: str) -> None:
    refused, took_s = _refusal(f"postgresql://{place.format(port)}".replace(" ", "%20"))
    assert refused.code == "store.refused"
    assert all(word in str(refused) for word in ("~/.pgpass", "sslmode"))
    assert took_s < _PATIENCE_S
    assert fail(refused) == NOT_CONFIGURED


@contextmanager
def _answering(answer: bytes) -> Iterator[int]:
    """The port of a server that says this to everybody, and hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listening.accept()
                    with connection:
                        connection.recv(4096)
                        connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield int(listening.getsockname()[1])
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()


@pytest.mark.parametrize(
    ("answer", "options"),
    [
        # It ends before it says something, or in the middle of it.
        (b"", ""),
        (b"", "?sslmode=require"),
        (b"S", "?sslmode=require"),
        (b"Ecould not fork new process for connection: Cannot allocate memory\0\0", "?sslmode=disable"),
    ],
)
def test_a_server_that_ends_or_has_no_room_is_waited_for(answer: bytes, options: str) -> None:
    with _answering(answer) as port:
        told, took_s = _refusal(f"postgresql://ada@127.0.0.1:{port}/x{options}")
    assert told.code == "store.unreachable"
    assert took_s > _PATIENCE_S / 2
    assert fail(told) == 2


@pytest.mark.parametrize("options", ["", "?sslmode=disable"])
def test_a_server_of_another_kind_is_none_to_wait_for(options: str) -> None:
    with _answering(b"HTTP/1.1 400 Bad Request\r\n\r\n") as port:
        told, took_s = _refusal(f"postgresql://ada@127.0.0.1:{port}/x{options}")
    assert told.code == "store.refused"
    assert took_s < _PATIENCE_S


@pytest.mark.parametrize("wanted", ["standby", "read-only"])
def test_the_server_that_is_to_take_over_is_waited_for(port: int, wanted: str) -> None:
    told, _ = _refusal(f"postgresql://postgres@127.0.0.1:{port}/postgres?target_session_attrs={wanted}")
    assert told.code == "store.unreachable"


def test_a_program_that_gets_no_further_connection_is_told_why(port: int) -> None:
    pools = PostgresPools(f"postgresql://postgres@127.0.0.1:{port}/postgres", patience_s=_PATIENCE_S)
    with psycopg.connect(f"postgresql://postgres@127.0.0.1:{port}/template1", autocommit=True) as other:
        other.execute("ALTER DATABASE postgres ALLOW_CONNECTIONS false")
        try:
            with pytest.raises(StoreError, match="not currently accepting connections") as caught, _borrowed(pools):
                pass
        finally:
            other.execute("ALTER DATABASE postgres ALLOW_CONNECTIONS true")
    # It may pass: workers wait.
    assert caught.value.code == "store.unreachable"
    pools.close()


@contextmanager
def _borrowed(pools: PostgresPools) -> Iterator[None]:
    with borrowed(pools.of_catalog) as connection:
        connection.execute("SELECT 1")
        yield
