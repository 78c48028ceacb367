"""A web of thousands of hosts in one thread, which knows all it ever published; and the consumer of the changes.

Nothing is published before the former edition is known to be stored, by the tag that comes back with the next request.
So every edition must be stored, however often a worker dies with an answer in hand.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import io
import json
import random
import threading
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from ipaddress import IPv4Network
from types import TracebackType
from typing import Any, Literal, Self

from receiver import SECRET

NET = IPv4Network("127.77.0.0/16")
CONSUMER = "127.77.255.1"
#: Of each hundred sources; the remaining two are faulty.
MIX = {"feed": 80, "page": 12, "list": 5, "paper": 1}
FAULTY = "faulty"
#: Entries of a feed or list, and how many of them are new when there is news: 2 % of all entries asked for.
ENTRIES = 20
FRESH = 4
NEWS = 0.1
PER_HOST = 5
PARAGRAPHS = 5

_SYLLABLES = "ba del ka for min tas lo ver un gri pel sot da mar nek vi ros tul pa hem"
_WORDS = [first + middle + last for first in _SYLLABLES.split() for middle in "aeiou" for last in _SYLLABLES.split()]


@dataclass(slots=True)
class Thing:
    """Something that is watched. Of a feed or list, `editions` are its entries; of anything else, its versions."""

    number: int
    dossier: int
    sort: str
    #: Where it is; of something faulty, in the fault server.
    url: str = ""
    #: What a faulty one is to come to.
    fault: str = ""
    editions: int = 0
    asked: int = 0

    @property
    def tag(self) -> str:
        return f'"{self.number}-{self.editions}"'

    @property
    def is_listing(self) -> bool:
        return self.sort in {"feed", "list"}

    def entry_url(self, edition: int) -> str:
        return f"{self.url}/{edition}"


def text_of(thing: Thing, edition: int, place: int = 0) -> str:
    """A text that there is only once, and that says whose it is."""
    words = random.Random(f"{thing.number}:{edition}:{place}").choices(_WORDS, k=40)
    return f"This is for tenant{thing.dossier:03} alone, edition{edition} of thing{thing.number}: {' '.join(words)}."


def mixture(count: int, chance: random.Random) -> list[str]:
    """What sort each of so many sources is."""
    sorts = [sort for sort, share in MIX.items() for _ in range(count * share // 100)]
    sorts += [FAULTY] * (count - len(sorts))
    chance.shuffle(sorts)
    return sorts


def host(number: int) -> str:
    """The address of a thing's host, which it shares with things of other dossiers."""
    return str(NET[256 + number // PER_HOST])


def _paragraphs(thing: Thing) -> list[str]:
    """Of a page or document: each edition has one other paragraph."""
    last = thing.editions
    edited = [max((n for n in range(1, last + 1) if n % PARAGRAPHS == place), default=0) for place in range(PARAGRAPHS)]
    return [text_of(thing, edition, place) for place, edition in enumerate(edited)]


def _feed(thing: Thing) -> bytes:
    items = "".join(
        f"<item><guid>{thing.entry_url(n)}</guid><link>{thing.entry_url(n)}</link><title>Entry {n} of {thing.number}"
        f"</title><description>{text_of(thing, n)}</description></item>"
        for n in range(thing.editions, thing.editions - ENTRIES, -1)
    )
    channel = f"<title>Feed {thing.number}</title><link>{thing.url}</link>{items}"
    return f"<?xml version='1.0'?><rss version='2.0'><channel>{channel}</channel></rss>".encode()


def _list(thing: Thing) -> bytes:
    return json.dumps(
        [
            {"id": n, "title": f"Item {n} of {thing.number}", "url": thing.entry_url(n), "text": text_of(thing, n)}
            for n in range(thing.editions, thing.editions - ENTRIES, -1)
        ]
    ).encode()


def _page(thing: Thing) -> bytes:
    body = "".join(f"<p>{text}</p>" for text in _paragraphs(thing))
    head = f"<head><title>Page {thing.number}</title></head>"
    return f"<!doctype html><html lang=en>{head}<body><main>{body}</main></body></html>".encode()


_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def _paper(thing: Thing) -> bytes:
    """A Word document."""
    body = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in _paragraphs(thing))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(
            "[Content_Types].xml",
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" '
            'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
        )
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{_WORD}"><w:body>{body}</w:body></w:document>')
    return packed.getvalue()


_MAKERS: dict[str, tuple[str, Callable[[Thing], bytes]]] = {
    "feed": ("application/rss+xml", _feed),
    "list": ("application/json", _list),
    "page": ("text/html; charset=utf-8", _page),
    "paper": ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", _paper),
}


@dataclass
class Consumer:
    """Takes each change once, by its id."""

    #: Dossier and number of each change, and what it told of, by the change's id.
    taken: dict[str, tuple[str, int, str, str]] = field(default_factory=dict)
    repeats: int = 0
    forged: int = 0

    def take(self, headers: dict[str, str], body: bytes) -> int:
        """The status that answers this."""
        stamp = headers.get("veille-timestamp", "")
        expected = hmac.new(SECRET.encode(), f"{stamp}.".encode() + body, hashlib.sha256).hexdigest()
        if headers.get("veille-signature") != f"t={stamp},v1={expected}":
            self.forged += 1
            return 401
        fresh = 0
        for change in json.loads(body)["changes"]:
            if change["id"] in self.taken:
                self.repeats += 1
                continue
            fresh += 1
            self.taken[change["id"]] = (change["dossier_id"], change["seq"], change["revision_id"], change["url"])
        return 204 if fresh else 208


class Web:
    """The hosts and the consumer, while it is entered."""

    def __init__(self, seed: int) -> None:
        self.things: dict[str, Thing] = {}
        self.consumer = Consumer()
        self.statuses: Counter[int] = Counter()
        #: Whether there is news now and then.
        self.publishes = True
        self._seed = seed
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="web")
        self._hook: Any = None
        #: The open connections of the consumer, and of all hosts.
        self._open: set[asyncio.BaseTransport] = set()
        self._visits: set[asyncio.BaseTransport] = set()

    def __enter__(self) -> Self:
        self._thread.start()
        made = self._loop.create_server(lambda: _Talk(self._answer, self._visits), "0.0.0.0", 0, backlog=1024)
        self._server = self._do(made)
        self.port: int = self._server.sockets[0].getsockname()[1]
        self.hook_port = 0
        self.set_consumer("there")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._do(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _do(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

    def set_consumer(self, state: Literal["there", "hung", "gone"]) -> None:
        """Let the consumer come, hang, so that it takes requests and never answers, or go, so that nobody listens."""
        self._do(self._leave())
        if state != "gone":
            answer = self._take if state == "there" else _silence
            made = self._loop.create_server(lambda: _Talk(answer, self._open), CONSUMER, self.hook_port)
            self._hook = self._do(made)
            self.hook_port = self._hook.sockets[0].getsockname()[1]

    async def _end(self) -> None:
        await self._leave()
        self._server.close()
        for transport in list(self._visits):
            transport.close()
        # Closing takes a turn of the loop.
        await asyncio.sleep(0.1)

    async def _leave(self) -> None:
        if self._hook is not None:
            self._hook.close()
        for transport in list(self._open):
            transport.close()

    def add(self, thing: Thing) -> Thing:
        if thing.sort != FAULTY:
            path = f"/d{thing.dossier}/s{thing.number}"
            thing.url = f"http://{host(thing.number)}:{self.port}{path}"
            self.things[path] = thing
        return thing

    def _answer(self, path: str, headers: dict[str, str], _: bytes) -> bytes:
        thing = self.things.get(path)
        if thing is None:
            return self._reply(404)
        thing.asked += 1
        if not thing.editions and not self.publishes:
            # Not 503: its whole host would be left alone for a while, with things whose last edition is waited for.
            return self._reply(404)
        if not thing.editions:
            # What nobody has ever asked for was not published.
            thing.editions = ENTRIES if thing.is_listing else 1
        if headers.get("if-none-match") == thing.tag:
            draw = random.Random(f"{self._seed}:{thing.number}:{thing.asked}").random()
            if not self.publishes or draw >= NEWS:
                return self._reply(304, tag=thing.tag)
            thing.editions += FRESH if thing.is_listing else 1
        kind, make = _MAKERS[thing.sort]
        return self._reply(200, make(thing), kind, thing.tag)

    def _take(self, _: str, headers: dict[str, str], body: bytes) -> bytes:
        return self._reply(self.consumer.take(headers, body))

    def _reply(self, status: int, body: bytes = b"", kind: str = "text/plain", tag: str = "") -> bytes:
        self.statuses[status] += 1
        length = "" if status in {204, 304} else f"Content-Length: {len(body)}\r\n"
        tagged = f"ETag: {tag}\r\n" if tag else ""
        return f"HTTP/1.1 {status} So\r\n{length}Content-Type: {kind}\r\n{tagged}\r\n".encode() + body


def _silence(_: str, __: dict[str, str], ___: bytes) -> bytes:
    return b""


class _Talk(asyncio.Protocol):
    """One connection: requests one after the other."""

    def __init__(
        self, answer: Callable[[str, dict[str, str], bytes], bytes], open_: set[asyncio.BaseTransport] | None = None
    ) -> None:
        self._answer = answer
        self._open = open_ if open_ is not None else set()
        self._got = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._open.add(transport)

    def connection_lost(self, error: Exception | None) -> None:
        del error
        self._open.discard(self._transport)

    def data_received(self, data: bytes) -> None:
        self._got += data
        while b"\r\n\r\n" in self._got:
            head, _, rest = self._got.partition(b"\r\n\r\n")
            first, *lines = head.decode("latin-1").split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
            length = int(headers.get("content-length", 0))
            if len(rest) < length:
                return
            self._got = rest[length:]
            self._transport.write(self._answer(first.split(" ")[1], headers, rest[:length]))
