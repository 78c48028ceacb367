"""A real web server on loopback whose pages tests edit while it runs."""

from __future__ import annotations

import hashlib
import json
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from email.message import Message
from email.utils import parsedate_to_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import repeat
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit


@dataclass
class Page:
    body: bytes
    type: str = "text/html; charset=utf-8"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    #: Whether the page has an ETag and answers 304.
    validates: bool = True
    #: Whether the page answers 304 to whoever saw it after its Last-Modified.
    dated: bool = False
    #: How long the answer takes.
    delay_s: float = 0.0
    #: How often the body is sent: a large answer without a large body.
    times: int = 1
    #: Whether the answer says how long it is.
    announced: bool = True
    #: The body in parts, each sent as soon as it is there; the answer does not say how long it is.
    parts: Callable[[], Iterable[bytes]] | None = None

    @property
    def etag(self) -> str:
        return f'"{hashlib.sha256(self.body).hexdigest()[:16]}"'

    def known_to(self, headers: Message) -> bool:
        """Whether a caller with these headers has the page already."""
        if self.status != 200:
            return False
        since = headers.get("If-Modified-Since")
        if self.dated and since:
            return parsedate_to_datetime(since) >= parsedate_to_datetime(self.headers["Last-Modified"])
        return self.validates and headers.get("If-None-Match") == self.etag


@dataclass(frozen=True)
class Seen:
    """One request as the server got it."""

    path: str
    conditional: bool
    status: int
    headers: dict[str, str]
    method: str = "GET"
    body: bytes = b""
    at: float = 0.0


@dataclass(frozen=True)
class Asked:
    """A request to a page that is made when it is asked for."""

    query: dict[str, str]
    body: bytes
    headers: Message


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        # A caller that hangs up, or is killed, is part of the tests; anything else is a mistake in this file.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class Site:
    """`with Site() as site: site["/a"] = "<p>text"`; every request is in `site.seen`."""

    def __init__(self, host: str = "127.0.0.1", port: int = 0) -> None:
        self.pages: dict[str, Page] = {}
        #: Pages made when they are asked for, by path without its query.
        self.made: dict[str, Callable[[Asked], Page]] = {}
        self.seen: list[Seen] = []
        #: Bytes of bodies that were sent, by path.
        self.sent: Counter[str] = Counter()
        self._server = _Server((host, port), self._handler())
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._is_closing = False

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_closing = True
        # Wakes the thread at once; `serve_forever` would poll for the end.
        self._server.socket.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._server.server_close()

    def _serve(self) -> None:
        while not self._is_closing:
            self._server.handle_request()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        return f"http://{self._server.server_address[0]!s}:{self.port}"

    def __setitem__(self, path: str, page: Page | str | bytes) -> None:
        if isinstance(page, str):
            page = page.encode()
        self.pages[path] = page if isinstance(page, Page) else Page(page)

    def json(self, path: str, value: object, **given: Any) -> None:
        """An answer in JSON."""
        self[path] = Page(json.dumps(value).encode(), **({"type": "application/json"} | given))

    def article(self, path: str, title: str, text: str) -> None:
        """A page with a title and paragraphs, one per line of the text."""
        paragraphs = "".join(f"<p>{line}</p>" for line in text.split("\n"))
        self[path] = f"<html lang=en><head><title>{title}</title></head><body><main>{paragraphs}</main></body></html>"

    def feed(self, path: str, entries: list[tuple[str, str, str]], title: str = "A feed") -> None:
        """An RSS feed of (path, title, HTML) entries."""
        items = "".join(
            f"<item><guid>{link}</guid><link>{self.url}{link}</link><title>{name}</title>"
            f"<description><![CDATA[{text}]]></description></item>"
            for link, name, text in entries
        )
        body = f"<rss version='2.0'><channel><title>{title}</title><link>{self.url}</link>{items}</channel></rss>"
        self[path] = Page(body.encode(), type="application/rss+xml")

    def page(self, path: str, body: bytes, headers: Message) -> Page:
        """The answer to a request."""
        parts = urlsplit(path)
        if parts.path in self.made:
            return self.made[parts.path](Asked(dict(parse_qsl(parts.query)), body, headers))
        return self.pages.get(path, Page(b"Not here", status=404, validates=False))

    def _handler(site) -> type[BaseHTTPRequestHandler]:  # noqa: N805 - `self` is the handler's inside
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Head and body go out apart; with Nagle's algorithm the body would wait 40 ms for the head's receipt.
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                asked = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                page = site.page(self.path, asked, self.headers)
                conditional = "If-None-Match" in self.headers or "If-Modified-Since" in self.headers
                fresh = page.known_to(self.headers)
                status = 304 if fresh else page.status
                headers = dict(self.headers.items())
                site.seen.append(Seen(self.path, conditional, status, headers, self.command, asked, time.monotonic()))
                time.sleep(page.delay_s)
                self.send_response(status)
                for name, value in page.headers.items():
                    self.send_header(name, value)
                if page.validates:
                    self.send_header("ETag", page.etag)
                if not fresh:
                    self.send_header("Content-Type", page.type)
                    if page.announced and page.parts is None:
                        self.send_header("Content-Length", str(len(page.body) * page.times))
                    else:
                        self.send_header("Connection", "close")
                self.end_headers()
                bodies = page.parts() if page.parts else repeat(page.body, page.times)
                for body in () if fresh or self.command == "HEAD" else bodies:
                    self.wfile.write(body)
                    site.sent[self.path] += len(body)

            do_POST = do_PUT = do_HEAD = do_GET  # noqa: N815 - the names are the library's

            def log_message(self, *args: Any) -> None:
                pass

        return Handler
