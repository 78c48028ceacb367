"""Very many connections that say nothing, or not all: others are answered as ever."""

from __future__ import annotations

import resource
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from select import select

import pytest

from process_tree import wait_until
from service import Client, Here, Service

HELD = 2000
#: Generous for a busy machine; about 0.01 s where nobody else is at work.
SOON_S = 5.0
HALF = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Rest: "
BODY = (
    b"POST /api/auth/login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"
)


@pytest.fixture(scope="module", autouse=True)
def _many_files() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service(tmp_path_factory.mktemp("silent"), VEILLE_SERVE__IDLE_S="600", VEILLE_SERVE__HEADER_S="600") as made:
        yield made


def _connect(url: str, sent: bytes, origin: str = "127.0.0.1") -> socket.socket:
    host, _, port = url.removeprefix("http://").partition(":")
    made = socket.create_connection((host, int(port)), timeout=20, source_address=(origin, 0))
    if sent:
        made.sendall(sent)
    return made


def _is_closed(line: socket.socket) -> bool:
    if not select([line], [], [], 0)[0]:
        return False
    try:
        return line.recv(1000) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize("sent", [b"", HALF, BODY], ids=["silent", "half a head", "half a body"])
@pytest.mark.parametrize("origins", [1, 200], ids=["one address", "many addresses"])
def test_whoever_holds_very_many_shuts_out_nobody(service: Service, sent: bytes, origins: int) -> None:
    with ExitStack() as held:
        for number in range(HELD):
            held.enter_context(_connect(service.url, sent, f"127.0.1.{number % origins + 1}"))
        client, slowest = Client(service.url), 0.0
        if sent == BODY:
            # Those are requests that have begun: it takes a moment to begin so many.
            client.get("/health")
        for _ in range(20):
            began = time.monotonic()
            assert client.get("/health") == {"status": "ok"}
            slowest = max(slowest, time.monotonic() - began)
    print(f"slowest of 20 answers while {HELD} are held: {slowest:.3f} s")
    assert slowest < SOON_S


def test_it_is_told_of_in_few_lines_and_counted(service: Service) -> None:
    with ExitStack() as held:
        for _ in range(250):
            held.enter_context(_connect(service.url, b""))
        text = service.robot("ann@example.org", is_admin=True).ask("GET", "/metrics").body.decode()
    assert 'veille_http_connections_dropped_total{why="address"}' in text
    assert "veille_http_connections " in text
    told = [line for line in service.said if "serve.connections_per_address" in line]
    assert 1 <= len(told) < 10


def test_silence_and_slowness_have_their_deadlines(tmp_path: Path) -> None:
    with Here(tmp_path, serve={"header_s": 0.5, "idle_s": 0.5}) as office, ExitStack() as held:
        slow = [held.enter_context(_connect(office.url, sent)) for sent in (b"", HALF, BODY)]
        wait_until(lambda: all(map(_is_closed, slow)))
        # A body that comes in bit by bit is none that hangs, but it has to come to an end.
        drop = held.enter_context(_connect(office.url, BODY))
        began = time.monotonic()

        def is_given_up() -> bool:
            if _is_closed(drop):
                return True
            drop.sendall(b" ")
            return False

        wait_until(is_given_up)
        assert time.monotonic() - began > 2


def test_a_request_that_waits_for_us_has_no_deadline(tmp_path: Path) -> None:
    with Here(tmp_path, serve={"header_s": 0.3, "idle_s": 0.3}) as office:
        where = f"/api/dossiers/{office.dossier('news')}/changes"
        ada = office.person("ada@example.org")
        assert ada.get(where, wait=2)["changes"] == []


def test_a_proxy_that_is_trusted_may_have_as_many_as_it_needs(tmp_path: Path) -> None:
    serve = {"connections_per_address": 2, "trusted_proxies": ["127.0.0.1/32"]}
    with Here(tmp_path, serve=serve) as office, ExitStack() as held:
        proxied = [held.enter_context(_connect(office.url, b"")) for _ in range(10)]
        direct = [held.enter_context(_connect(office.url, b"", "127.0.0.9")) for _ in range(10)]
        wait_until(lambda: sum(map(_is_closed, direct)) == 8)
        assert not any(map(_is_closed, proxied))
