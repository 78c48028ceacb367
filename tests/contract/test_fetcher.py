from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from ipaddress import ip_network
from pathlib import Path

import pytest

from samples import NOW
from veille.adapters.fetch import Door
from veille.adapters.fetch._connect import MOST_IDLE_HOSTS
from veille.core.fingerprint import raw_hash
from veille.core.traffic import Failure, Order, Payload, Validators
from veille.ports import Fetcher
from veille.settings import FetchSettings
from world import Page, Site

Answer = Payload | Failure
FETCHERS: dict[str, Callable[[FetchSettings], Fetcher]] = {"door": lambda settings: Door(settings, lambda: NOW)}
LOOPBACK = (ip_network("127.0.0.0/8"),)
#: No answer here takes long, unless the machine is very busy.
PATIENT = FetchSettings(host_delay_ms=0, timeout_s=20, allow_networks=LOOPBACK)


@pytest.fixture(params=FETCHERS)
def fetcher(request: pytest.FixtureRequest) -> Iterator[Fetcher]:
    opened = FETCHERS[request.param](PATIENT)
    yield opened
    opened.close()


def _collect(fetcher: Fetcher, count: int) -> dict[str, Answer]:
    answers: dict[str, Answer] = {}
    deadline = time.monotonic() + 30
    while len(answers) < count and time.monotonic() < deadline:
        answers |= dict(fetcher.collect(0.2))
    assert len(answers) == count
    return answers


def _fetch(fetcher: Fetcher, url: str, validators: Validators = Validators()) -> Answer:  # noqa: B008 - frozen
    fetcher.submit(Order(key="key", url=url, validators=validators))
    return _collect(fetcher, 1)["key"]


def test_an_answer_is_bytes_and_facts(fetcher: Fetcher, site: Site) -> None:
    site["/a"] = Page(b"Hello", headers={"Last-Modified": "yesterday"})
    answer = _fetch(fetcher, site.url + "/a")
    assert isinstance(answer, Payload)
    assert (answer.body, answer.status, answer.raw_hash) == (b"Hello", 200, raw_hash(b"Hello"))
    assert (answer.url, answer.final_url, answer.fetched_at) == (site.url + "/a", site.url + "/a", NOW)
    assert (answer.media_type, answer.charset, answer.wire_bytes) == ("text/html", "utf-8", 5)
    assert answer.validators == Validators(
        final_url=site.url + "/a",
        etag=Page(b"Hello").etag,
        last_modified="yesterday",
        raw_hash=raw_hash(b"Hello"),
        size=5,
    )


def test_validators_are_sent_and_not_modified_comes_back(fetcher: Fetcher, site: Site) -> None:
    site["/a"] = Page(b"Hello")
    known = Validators(etag=Page(b"Hello").etag, last_modified="yesterday")
    answer = _fetch(fetcher, site.url + "/a", validators=known)
    assert isinstance(answer, Payload)
    assert answer.not_modified
    assert site.seen[0].headers["If-None-Match"] == known.etag
    assert site.seen[0].headers["If-Modified-Since"] == "yesterday"


def test_validators_go_to_the_address_that_gave_them_and_to_no_other(fetcher: Fetcher, site: Site) -> None:
    site["/old"] = Page(b"", status=302, headers={"Location": "/new"})
    site["/new"] = Page(b"Hello")
    known = Validators(etag=Page(b"Hello").etag, last_modified="yesterday")
    for final_url in ("", "/old", "/new", "/other"):
        _fetch(fetcher, site.url + "/old", replace(known, final_url=final_url and site.url + final_url))
    assert [(seen.conditional, seen.status) for seen in site.seen] == [
        (True, 302), (False, 200), (True, 302), (False, 200), (False, 302), (True, 304), (False, 302), (False, 200)
    ]  # fmt: skip


def test_we_say_who_we_are_and_keep_no_cookies(fetcher: Fetcher, site: Site) -> None:
    site["/a"] = Page(b"Hello", headers={"Set-Cookie": "id=1"})
    for _ in range(2):
        _fetch(fetcher, site.url + "/a")
    assert site.seen[0].headers["User-Agent"].startswith("veille/")
    assert "Cookie" not in site.seen[1].headers


def test_redirects_are_followed_and_told(fetcher: Fetcher, site: Site) -> None:
    site["/old"] = Page(b"", status=301, headers={"Location": "/new"})
    site["/new"] = "Here"
    answer = _fetch(fetcher, site.url + "/old")
    assert isinstance(answer, Payload)
    assert (answer.body, answer.final_url, answer.redirects) == (
        b"Here",
        site.url + "/new",
        ((301, site.url + "/old"),),
    )


@pytest.mark.parametrize(
    ("status", "retryable"),
    [(400, False), (403, False), (404, False), (410, False), (408, True), (429, True), (503, True)],
)
def test_a_refusal_is_a_value_with_a_code(fetcher: Fetcher, site: Site, status: int, *, retryable: bool) -> None:
    site["/a"] = Page(b"No", status=status)
    answer = _fetch(fetcher, site.url + "/a")
    assert isinstance(answer, Failure)
    assert (answer.code, answer.status, answer.retryable) == (f"http.{status}", status, retryable)
    assert answer.message


def test_a_redirect_that_never_ends_is_a_failure(fetcher: Fetcher, site: Site) -> None:
    site["/loop"] = Page(b"", status=302, headers={"Location": "/loop"})
    answer = _fetch(fetcher, site.url + "/loop")
    assert isinstance(answer, Failure)
    assert len(site.seen) <= 6


def test_a_port_nobody_listens_on_is_a_network_failure(fetcher: Fetcher) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/"
        answer = _fetch(fetcher, url)
    assert isinstance(answer, Failure)
    assert (answer.code, answer.retryable) == ("connect", True)


def test_many_orders_are_answered_each_under_its_key(fetcher: Fetcher, site: Site) -> None:
    for number in range(30):
        site[f"/{number}"] = str(number)
        fetcher.submit(Order(key=str(number), url=f"{site.url}/{number}"))
    assert fetcher.load == 30
    answers = _collect(fetcher, 30)
    assert {key: answer.body.decode() for key, answer in answers.items() if isinstance(answer, Payload)} == {
        str(number): str(number) for number in range(30)
    }
    assert fetcher.load == 0


def test_collecting_with_nothing_under_way_gives_nothing(fetcher: Fetcher) -> None:
    assert fetcher.collect(0.01) == []


def test_closing_drops_what_is_under_way(site: Site) -> None:
    site["/a"] = "Late"
    fetcher = FETCHERS["door"](FetchSettings(host_delay_ms=60_000, allow_networks=LOOPBACK))
    for number in range(3):
        fetcher.submit(Order(key=str(number), url=site.url + "/a"))
    fetcher.close()


def test_closing_starts_nothing_that_was_still_waiting_and_says_nothing(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    site["/slow"] = Page(b"Late", delay_s=0.5)
    site["/moved"] = Page(b"", status=302, headers={"Location": "/slow"})
    fetcher = FETCHERS["door"](FetchSettings(host_delay_ms=0, host_concurrency=2, allow_networks=LOOPBACK))
    for number in range(20):
        fetcher.submit(Order(key=str(number), url=f"{site.url}/{'slow' if number % 2 else 'moved'}"))
    deadline = time.monotonic() + 5
    while len(site.seen) < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    fetcher.close()
    # What was sent before it closed may still arrive.
    time.sleep(0.2)
    asked = len(site.seen)
    time.sleep(0.3)
    assert len(site.seen) == asked
    assert asked <= 5
    assert caplog.records == []


@pytest.mark.covers("R-164")
def test_two_requests_to_one_host_keep_the_pause_between_them(site: Site) -> None:
    site["/a"] = "Hello"
    fetcher = FETCHERS["door"](FetchSettings(host_delay_ms=100, allow_networks=LOOPBACK))
    started = time.monotonic()
    for number in range(3):
        fetcher.submit(Order(key=str(number), url=site.url + "/a"))
    _collect(fetcher, 3)
    assert time.monotonic() - started >= 0.2
    fetcher.close()


BAD_MANNERS = {
    "silence": b"",
    "not http": b"SSH-2.0-OpenSSH_9.6\r\n",
    "half a head": b"HTTP/1.1 200 OK\r\nContent-",
    "less than promised": b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
    "broken chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello",
    "broken gzip": b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello",
    "bad location": b"HTTP/1.1 302 Found\r\nLocation: http://[\r\nContent-Length: 0\r\n\r\n",
    "other scheme": b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n",
    "bad length": b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
    "null in head": b"HTTP/1.1 200 OK\r\nX-A: a\x00b\r\nContent-Length: 0\r\n\r\n",
    "no length": b"HTTP/1.1 200 OK\r\n\r\nfine",
    "bad charset": b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=\xff\xfe\r\nContent-Length: 2\r\n\r\nok",
    "bad etag": b'HTTP/1.1 200 OK\r\nETag: "\xff\xfe"\r\nContent-Length: 2\r\n\r\nok',
}


@pytest.mark.parametrize("manners", BAD_MANNERS)
def test_a_server_with_bad_manners_gets_an_answer_out_of_us_every_time(fetcher: Fetcher, manners: str) -> None:
    with _rude(BAD_MANNERS[manners]) as url:
        first = _fetch(fetcher, url)
        known = first.validators if isinstance(first, Payload) else Validators()
        assert isinstance(_fetch(fetcher, url, validators=known), Payload | Failure)


@pytest.mark.parametrize("name", FETCHERS)
def test_a_server_that_never_answers_is_a_timeout(name: str) -> None:
    fetcher = FETCHERS[name](PATIENT.model_copy(update={"timeout_s": 0.5}))
    with closing(fetcher), socket.create_server(("127.0.0.1", 0)) as server:
        answer = _fetch(fetcher, f"http://127.0.0.1:{server.getsockname()[1]}/")
    assert isinstance(answer, Failure)
    assert (answer.code, answer.retryable) == ("timeout", True)


class _rude:  # noqa: N801 - used like a function
    """A server that says the same bytes to everybody and hangs up."""

    def __init__(self, said: bytes) -> None:
        self._said = said
        self._server = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def _serve(self) -> None:
        while True:
            try:
                caller, _ = self._server.accept()
            except OSError:
                return
            with caller:
                caller.recv(65536)
                caller.sendall(self._said)

    def __enter__(self) -> str:
        self._thread.start()
        return f"http://127.0.0.1:{self._server.getsockname()[1]}/"

    def __exit__(self, *_: object) -> None:
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self._thread.join()


def test_many_hosts_do_not_use_up_the_open_files(fetcher: Fetcher) -> None:
    def open_files() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    everywhere = "0.0.0.0"
    with Site(host=everywhere) as site:
        before = open_files()
        for number in range(MOST_IDLE_HOSTS + 100):
            host = f"127.0.{1 + number // 200}.{1 + number % 200}"
            fetcher.submit(Order(key=host, url=site.url.replace(everywhere, host), validators=Validators()))
        _collect(fetcher, MOST_IDLE_HOSTS + 100)
        kept = open_files() - before
    # Each has two ends here.
    assert MOST_IDLE_HOSTS <= kept <= 2 * MOST_IDLE_HOSTS + 20
