"""The site as a process of its own: every answer is made before the first request, so serving costs next to nothing.

`server.py PAGES SEED` makes up a site, `server.py PAGES FILE ...` serves the real pages of files. Either prints one
JSON line with its address when it is ready, and serves until its input closes.
"""

from __future__ import annotations

import asyncio
import json
import lzma
import sys
from collections.abc import Callable, Iterator
from html import escape
from itertools import chain
from typing import cast

from articles import Article, Press

new_loop: Callable[[], asyncio.AbstractEventLoop]
try:
    import uvloop

    new_loop = uvloop.new_event_loop
except ImportError:  # absent on Windows
    new_loop = asyncio.new_event_loop

_MISSING = b"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 8\r\n\r\nNot here"


class _Connection(asyncio.Protocol):
    def __init__(self, answers: dict[bytes, bytes]) -> None:
        self._answers = answers
        self._buffer = b""
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.WriteTransport", transport)

    def data_received(self, data: bytes) -> None:
        *requests, self._buffer = (self._buffer + data).split(b"\r\n\r\n")
        for request in requests:
            path = request.split(b" ", 2)[1]
            assert self._transport is not None
            self._transport.write(self._answers.get(path, _MISSING))


def answers(articles: list[Article], url: str) -> dict[bytes, bytes]:
    """Every path of the site with its whole HTTP answer."""
    site = {article.path.encode(): _answer("text/html; charset=utf-8", article.html) for article in articles}
    site[b"/"] = _answer("text/html; charset=utf-8", _index(articles))
    site[b"/feed.xml"] = _answer("application/rss+xml", _feed(articles, url))
    site[b"/robots.txt"] = _answer("text/plain", b"User-agent: *\nAllow: /\n")
    return site


def made_up(pages: int, seed: int) -> list[Article]:
    """Articles of a generated site."""
    press = Press(seed, pages)
    return [press.article(n) for n in range(pages)]


def real(pages: int, corpora: list[str]) -> list[Article]:
    """The first pages of corpora, a JSON object with `html` a line, packed with xz."""
    return [
        Article(path=f"/2026/{n}", title=f"Page {n}", summary="", published="", html=text.encode())
        for n, text in zip(range(pages), chain.from_iterable(map(_texts, corpora)), strict=False)
    ]


def _texts(corpus: str) -> Iterator[str]:
    with lzma.open(corpus, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)["html"]


async def serve(articles: list[Article]) -> None:
    """Serve until the input closes, so that no server outlives the run that started it."""
    site: dict[bytes, bytes] = {}
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _Connection(site), "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    site.update(answers(articles, url))
    sizes = sorted(len(answer) >> 10 for path, answer in site.items() if path.startswith(b"/2026"))
    print(json.dumps({"url": url, "kb": [sizes[0], sum(sizes) // len(sizes), sizes[-1]]}), flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


def _answer(media_type: str, body: bytes) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def _index(articles: list[Article]) -> bytes:
    links = "".join(f'<li><a href="{article.path}">{article.title}</a></li>\n' for article in articles)
    return f"<!DOCTYPE html><html lang=en><title>All articles</title><body><ul>{links}</ul></body></html>".encode()


def _feed(articles: list[Article], url: str) -> bytes:
    items = "".join(
        f"<item><guid>{url}{article.path}</guid><link>{url}{article.path}</link><title>{escape(article.title)}</title>"
        f"<description>{escape(article.summary)}</description><pubDate>{article.published}</pubDate></item>\n"
        for article in articles
    )
    return f'<rss version="2.0"><channel><title>All articles</title><link>{url}</link>{items}</channel></rss>'.encode()


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=new_loop) as runner:
        count, which = int(sys.argv[1]), sys.argv[2:]
        runner.run(serve(made_up(count, int(which[0])) if which[0].isdigit() else real(count, which)))
