"""A small web on loopback: two newspapers with feeds, a shop, a page that goes away, a dead link, and services."""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from veille.interfaces.demo.later import FURTHER, LEVELS, NOTES, PRICES, nth
from veille.interfaces.demo.services import GUIDE, archive, service_answer

NOT_FOUND = 404
GONE = 410


@dataclass(frozen=True, slots=True)
class DemoPage:
    """The server's response for one path."""

    body: bytes
    media_type: str = "text/html; charset=utf-8"
    status: int = 200

    @property
    def etag(self) -> str:
        return f'"{hashlib.sha256(self.body).hexdigest()[:16]}"'


ARTICLES = {
    "/news/harbour": (
        "Harbour porpoises return to the estuary",
        "Marine biologists counted forty-one harbour porpoises in the estuary this week, the most since records began.",
        "The animals follow the herring, which came back after the old weir was opened to let the fish through.",
        "“Nobody expected whales of any size this far upstream,” said the survey's leader. “Now we hear them.”",
    ),
    "/news/tramway": (
        "Council approves the night tramway",
        "Trams will run through the night from Thursday to Sunday, the city council decided by a narrow majority.",
        "The first night service leaves the main station at half past midnight; tickets cost the same as by day.",
        "Residents along the line asked for quieter wheels, and the operator promised new ones before the summer.",
    ),
    "/news/library": (
        "The library lends out its last card catalogue",
        "Forty oak drawers of index cards left the reading room yesterday, on loan to the museum across the square.",
        "Every card was photographed first, so that readers can still leaf through the catalogue on a screen.",
        "The drawers had been in use since 1911 and survived two floods and one very determined mouse.",
    ),
}
LATE_ARTICLE = {
    "/news/lighthouse": (
        "Lighthouse keeper's diary found behind a panel",
        "Workers repairing the lamp room found a diary of 312 pages, kept by the last keeper through nine winters.",
        "Most entries note wind, oil and passing whales; some describe ghost ships that turned out to be fog.",
        "The diary will be read aloud in the town hall, one winter an evening, beginning in December.",
    ),
}


#: The other newspaper tells some of the same, in its own words at the beginning and the end.
COPIES = {
    "/post/porpoises": (
        "/news/harbour",
        "Porpoises are back in the estuary",
        "The Harbour Post had it from the survey.",
    ),
    "/post/diary": ("/news/lighthouse", "A keeper's diary, behind a panel", "The Harbour Post will print some of it."),
}


class World:
    """`with World() as world:` serves it; `world.change()` lets a week pass, `world.drift()` an hour."""

    def __init__(self) -> None:
        self._articles: dict[str, tuple[str, ...]] = dict(ARTICLES)
        self._price, self._level = "12.50", "4.6 metres and rising"
        self._notice_is_up = True
        self._turn = 0
        self._server = _Server(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def change(self) -> None:
        """A new article appears, one is corrected, a price rises, a notice is taken down."""
        title, first, *rest = self._articles["/news/harbour"]
        corrected = first.replace("forty-one", "forty-three")
        self._articles["/news/harbour"] = (title, corrected, *rest)
        self._articles.update(LATE_ARTICLE)
        self._price, self._level = "13.90", "4.1 metres and falling"
        self._notice_is_up = False

    def drift(self) -> None:
        """Change something small, each time something else: prices, the water level, an article or a correction."""
        self._turn += 1
        self._price, self._level = nth(PRICES, self._turn), nth(LEVELS, self._turn)
        coming = [one for one in FURTHER if one[0] not in self._articles]
        if coming:
            self._articles.update(coming[:1])
        else:
            path, (title, first, *rest) = FURTHER[self._turn % len(FURTHER)]
            note = nth(NOTES, self._turn // len(FURTHER) + 1)
            self._articles[path] = (title, f"{first} {note}", *rest)

    def answer(self, path: str) -> DemoPage:
        """The current response for a path."""
        is_later = not self._notice_is_up
        view = self._turn + is_later
        service = service_answer(self.url, path, is_later=is_later, level=self._level, view=view)
        if service is not None:
            return DemoPage(service, "application/json")
        if path in {"/feed.xml", "/post.xml"}:
            return DemoPage(self._feed(is_post=path == "/post.xml").encode(), "application/rss+xml")
        pages = self._articles | self._copies() | archive(is_later=is_later) | GUIDE
        if path in pages:
            title, *paragraphs = pages[path]
            return _page(title, paragraphs, links=tuple(GUIDE) if path in GUIDE else ("/",))
        if path == "/shop/tea":
            return _page("Smoked tea, 100 g", [f"Price: {self._price} crowns. In stock, sent within two days."])
        if path == "/notice":
            closed = "The swimming hall is closed for repairs until further notice. Season tickets stay valid."
            return _page("Closed for repairs", [closed]) if self._notice_is_up else DemoPage(b"Gone", status=GONE)
        return DemoPage(b"There is no such page.", status=NOT_FOUND)

    def _copies(self) -> dict[str, tuple[str, ...]]:
        """The articles of the other newspaper: those of the first one that it knows of."""
        return {
            path: (title, *self._articles[of][1:], last)
            for path, (of, title, last) in COPIES.items()
            if of in self._articles
        }

    def _feed(self, *, is_post: bool) -> str:
        name, articles = ("The Harbour Post", self._copies()) if is_post else ("The Estuary Gazette", self._articles)
        items = "".join(
            f"<item><guid>{path}</guid><title>{escape(title)}</title><link>{self.url}{path}</link>"
            f"<description>{escape(first)}</description></item>"
            for path, (title, first, *_) in reversed(articles.items())
        )
        # A dead link: every feed has one sooner or later.
        lost = f"<item><guid>dead</guid><title>Tide tables</title><link>{self.url}/news/tides</link></item>"
        return (
            f"<rss version='2.0'><channel><title>{name}</title><link>{self.url}</link>"
            f"{items}{'' if is_post else lost}</channel></rss>"
        )

    def _handler(world) -> type[BaseHTTPRequestHandler]:  # noqa: N805 - inside, `self` is the handler
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self.do_GET()

            def do_GET(self) -> None:
                answer = world.answer(self.path)
                fresh = self.headers.get("If-None-Match") == answer.etag
                self.send_response(304 if fresh else answer.status)
                self.send_header("ETag", answer.etag)
                self.send_header("Content-Type", answer.media_type)
                self.send_header("Content-Length", "0" if fresh else str(len(answer.body)))
                self.end_headers()
                if not fresh:
                    self.wfile.write(answer.body)

            def log_message(self, *_: Any) -> None:
                """Log nothing: the demo prints its own output."""

        return Handler


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that disconnect."""


def _page(title: str, paragraphs: list[str], links: tuple[str, ...] = ("/",)) -> DemoPage:
    nav = "".join(f"<a href={link}>{link}</a>" for link in links)
    text = "".join(f"<p>{escape(paragraph)}</p>" for paragraph in paragraphs)
    return DemoPage(
        f"<!doctype html><html lang=en><head><title>{escape(title)}</title></head><body><nav>{nav}</nav>"
        f"<main><h1>{escape(title)}</h1>{text}</main><footer>The Estuary Gazette</footer></body></html>".encode()
    )
