"""A real Chroma for tests: in a folder or as a server, asked through its own client; and a service that embeds."""

from __future__ import annotations

import hashlib
import http.client
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from email.message import Message
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from world import Asked, Page, Site

#: Sections that are chunks of their own when chunks have up to 40 words.
SECTION = (
    "The harbour bridge number {0} was closed after the flood of {0} and is being rebuilt by {0} engineers from abroad."
)
SMALL = {"chunk_size": 40, "chunk_overlap": 4}
Records = dict[str, dict[str, Any]]


def sections(*numbers: int | str) -> str:
    return "\n".join(SECTION.format(number) for number in numbers)


class Chroma:
    """A Chroma of the tests' own, and what is in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def options(self) -> dict[str, Any]:
        """What the sink is told."""
        return {"kind": "chroma", "folder": str(self.folder), **SMALL}

    @contextmanager
    def client(self) -> Iterator[Any]:
        import chromadb  # noqa: PLC0415 - takes a second, and every worker imports this module

        settings = chromadb.Settings(anonymized_telemetry=False)
        with closing(chromadb.PersistentClient(str(self.folder), settings=settings)) as client:
            yield client

    def records(self, collection: str) -> Records:
        """Every record by id: its metadata, its text and its vector."""
        with self.client() as client:
            if collection not in [found.name for found in client.list_collections()]:
                return {}
            held = client.get_collection(collection, embedding_function=None).get(
                include=["metadatas", "documents", "embeddings"]
            )
        rows = zip(held["ids"], held["metadatas"], held["documents"], held["embeddings"], strict=True)
        return {key: {**facts, "text": text, "vector": [*vector]} for key, facts, text, vector in rows}

    def nearest(self, collection: str, vector: list[float]) -> str:
        """The text nearest to a vector."""
        with self.client() as client:
            found = client.get_collection(collection, embedding_function=None).query(
                query_embeddings=[vector], n_results=1
            )
        return str(found["documents"][0][0])


class ChromaServer(Chroma):
    """`chroma run` on a port that stays the same when it is stopped and started. All tests of a session share one."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def options(self) -> dict[str, Any]:
        return {"kind": "chroma", "url": f"http://127.0.0.1:{self.port}", **SMALL}

    @contextmanager
    def client(self) -> Iterator[Any]:
        import chromadb  # noqa: PLC0415 - as above

        # Chroma's own `close` leaves connections open.
        headers, settings = {"Connection": "close"}, chromadb.Settings(anonymized_telemetry=False)
        with closing(chromadb.HttpClient("127.0.0.1", self.port, headers=headers, settings=settings)) as client:
            yield client

    def start(self) -> None:
        self._process = subprocess.Popen(
            [Path(sys.executable).parent / "chroma", "run", "--host", "127.0.0.1", "--port", str(self.port), "--path",
             self.folder],
            cwd=self.folder.parent, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        until = time.monotonic() + 30
        while not self._answers():
            assert self._process.poll() is None, "chroma run ended"
            assert time.monotonic() < until, "chroma run does not answer"
            time.sleep(0.05)

    def _answers(self) -> bool:
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)) as connection:
            try:
                connection.request("GET", "/api/v2/heartbeat")
                return connection.getresponse().status == 200
            except OSError:
                return False

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def empty(self) -> None:
        """Ready for the next test, whatever the last one left."""
        if self._process is None:
            self.start()
        with self.client() as client:
            for collection in client.list_collections():
                client.delete_collection(collection.name)


class Tap(Site):
    """Stands before a Chroma server, passes everything on, and keeps what was written."""

    def __init__(self, server: ChromaServer) -> None:
        super().__init__()
        self._port = server.port
        #: What to wait before an answer to a write.
        self.delay_s = 0.0

    def page(self, path: str, body: bytes, headers: Message) -> Page:
        with closing(http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)) as connection:
            connection.request("POST" if body else "GET", path, body, dict(headers.items()))
            answer = connection.getresponse()
            return Page(
                answer.read(), type=answer.getheader("Content-Type") or "", status=answer.status, validates=False,
                delay_s=self.delay_s if self._verb(path) in {"upsert", "update", "delete"} else 0,
            )  # fmt: skip

    @property
    def writes(self) -> list[tuple[str, list[str]]]:
        """What was done, with the ids it was done to, in order."""
        return [
            (self._verb(seen.path), json.loads(seen.body)["ids"])
            for seen in self.seen
            if self._verb(seen.path) in {"upsert", "update", "delete"}
        ]

    @staticmethod
    def _verb(path: str) -> str:
        return urlsplit(path).path.rpartition("/")[2]


class Embeddings:
    """An OpenAI-style service on a site; every text it was asked about is in `texts`."""

    def __init__(self, site: Site) -> None:
        self.texts: list[str] = []
        self.options = {"kind": "openai", "url": f"{site.url}/v1/embeddings", "model": "hash", "token": "t0ken"}
        self.works = True
        #: A text with which it takes no request, and how many numbers its vectors have.
        self.refused: str | None = None
        self.numbers = 8
        site.made["/v1/embeddings"] = self._answer

    def _answer(self, asked: Asked) -> Page:
        if not self.works:
            return Page(b"overloaded", status=503, validates=False)
        wish = json.loads(asked.body)
        assert (wish["model"], asked.headers["Authorization"]) == ("hash", "Bearer t0ken")
        if self.refused in wish["input"]:
            return Page(b"too long", status=400, validates=False)
        self.texts += wish["input"]
        data = [
            {"object": "embedding", "index": index, "embedding": self.vector(text, self.numbers)}
            for index, text in enumerate(wish["input"])
        ]
        # In whatever order: the index counts.
        answer = {"object": "list", "data": data[::-1], "model": "hash"}
        return Page(json.dumps(answer).encode(), type="application/json", validates=False)

    @staticmethod
    def vector(text: str, numbers: int = 8) -> list[float]:
        return [byte / 256 for byte in hashlib.sha256(text.encode()).digest()[:numbers]]
