"""The service, in a process of its own as a user runs it or in this one, and a client for its REST API."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlencode, urlsplit

import veille
from veille.core.access.access import SCOPES, Role
from veille.core.models import Scope as AllOf
from veille.interfaces.web._server import Server
from veille.services.watching.sources import Wish
from watching import FAST

#: A page that a browser renders on a busy machine takes its time.
PATIENT = FAST.model_copy(update={"timeout_s": 40})


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Client:
    """Asks one service, as whoever its headers say."""

    url: str
    headers: dict[str, str] = field(default_factory=dict)
    timeout_s: float = 50

    def ask(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None, **query: Any
    ) -> Answer:
        where = urlsplit(self.url)
        sent = {**self.headers, **(headers or {})}
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        if data is not None:
            sent.setdefault("Content-Type", "application/json")
        connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=self.timeout_s)
        try:
            connection.request(method, path + (f"?{urlencode(query)}" if query else ""), data, sent)
            answer = connection.getresponse()
            return Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def get(self, path: str, status: int = 200, **query: Any) -> Any:
        return self._checked(self.ask("GET", path, **query), status)

    def post(self, path: str, body: Any = None, status: int = 200, **query: Any) -> Any:
        return self._checked(self.ask("POST", path, body, **query), status)

    def put(self, path: str, body: Any, status: int = 200) -> Any:
        return self._checked(self.ask("PUT", path, body), status)

    def delete(self, path: str, status: int = 200) -> Any:
        return self._checked(self.ask("DELETE", path), status)

    @contextmanager
    def told(self, path: str = "/live") -> Iterator[Iterator[dict[str, Any]]]:
        """What a stream of events says, one message after the other, until it ends."""
        where = urlsplit(self.url)
        with closing(http.client.HTTPConnection(where.hostname or "", where.port, timeout=40)) as connection:
            connection.request("GET", path, headers=self.headers)
            with connection.getresponse() as answer:
                assert (answer.status, answer.headers["Content-Type"]) == (200, "text/event-stream; charset=utf-8")
                yield (json.loads(line[6:]) for line in answer if line.startswith(b"data: "))

    def _checked(self, answer: Answer, status: int) -> Any:
        assert answer.status == status, (answer.status, answer.body[:500])
        return answer.json


class Office:
    """A service on a data folder; people are let in beside it, as the operator would."""

    url: str

    def __init__(self, folder: Path, store: str = "") -> None:
        self.folder = folder
        self.data = folder / "data"
        #: The database that everything is kept in; empty: files in the folder.
        self.store = store

    def program(self) -> veille.App:
        """The program on the same data, for what the operator does; close it."""
        given: dict[str, Any] = {"store": self.store} if self.store else {}
        return veille.open_app(data=self.data, buffer_dir=self.folder / "buffer", fetch=PATIENT, **given)

    def anonymous(self) -> Client:
        return Client(self.url)

    def person(self, email: str, *, is_admin: bool = False) -> Client:
        """A browser of this user, who is made if need be."""
        with self.program() as app:
            accounts, local = app.accounts, app.accounts.local()
            if email not in {one.email for one in accounts.users.all(local)}:
                accounts.users.add(local, email, "", None, is_admin=is_admin)
            entry = accounts.redeem(accounts.setup_link(local, email))
        return Client(self.url, {"Cookie": f"sid={entry.cookie}"})

    def robot(self, email: str, *scopes: str, is_admin: bool = False, dossiers: list[str] | None = None) -> Client:
        """A program with a token of this user."""
        self.person(email, is_admin=is_admin)
        with self.program() as app:
            accounts = app.accounts
            _, text = accounts.tokens.add(accounts.local(), "test", scopes or SCOPES, dossiers, user=email)
        return Client(self.url, {"Authorization": f"Bearer {text}"})

    def dossier(self, name: str, email: str = "ada@example.org") -> str:
        """A dossier of this user's, who is made if need be and manages the instance; its id."""
        return str(self.person(email, is_admin=True).post("/api/dossiers", {"name": name}, 201)["id"])

    def watch(self, dossier_id: str, url: str, **wish: Any) -> str:
        """Watch it; the id of the source."""
        with self.program() as app:
            return app.sources.add(dossier_id, Wish(url=url, **wish)).id

    def look(self, dossier_id: str) -> None:
        """Look at everything in the dossier now."""
        with self.program() as app:
            app.queue.arm(dossier_id, app.clock())
            # The service may have the host for a moment, for its icon.
            app.run(AllOf(dossiers=frozenset({dossier_id})), wait=True)

    def give(self, email: str, dossier_id: str, role: Role) -> None:
        """Make them a member."""
        with self.program() as app:
            app.accounts.members.add(app.accounts.local(), dossier_id, email, role)


class Here(Office):
    """The service in this process, on a real port, without workers."""

    def __init__(self, folder: Path, serve: Mapping[str, Any] | None = None, **settings: Any) -> None:
        super().__init__(folder)
        given: dict[str, Any] = {"data": self.data, "buffer_dir": folder / "buffer", "fetch": PATIENT} | settings
        self.settings = veille.load_settings(serve={"port": 0} | dict(serve or {}), **given)

    def __enter__(self) -> Self:
        self.server = Server(self.settings, lambda: (0, 0))
        self.server.__enter__()
        self.url = self.server.url
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.server.__exit__(kind, error, trace)


class Service(Office):
    """`veille serve` in a process of its own."""

    def __init__(self, folder: Path, *options: str, workers: int = 0, **environment: str) -> None:
        super().__init__(folder, environment.get("VEILLE_STORE", ""))
        self.options = ("--port", "0", "--workers", str(workers), *options)
        self.environment = {
            **os.environ,
            "VEILLE_DATA": str(self.data),
            "VEILLE_BUFFER_DIR": str(folder / "buffer"),
            "VEILLE_FETCH__HOST_DELAY_MS": "0",
            "VEILLE_FETCH__ALLOW_NETWORKS": '["127.0.0.0/8"]',
            **environment,
        }
        self.said: list[str] = []
        self.process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def start(self) -> None:
        """Start it and wait until it says where it listens."""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "veille", "serve", *self.options],
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment,
        )
        self.said = []
        listening = threading.Event()
        self._reader = threading.Thread(target=self._read, args=(self.process, listening))
        self._reader.start()
        assert listening.wait(80), self.said
        found = re.search(r"listens on (http://\S+)", "".join(self.said))
        assert found, self.said
        self.url = found[1]

    def _read(self, process: subprocess.Popen[str], listening: threading.Event) -> None:
        assert process.stderr
        with process.stderr as lines:
            for line in lines:
                self.said.append(line)
                if "listens on" in line:
                    listening.set()
        listening.set()

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Ask it to end, and wait; its exit status."""
        assert self.process
        self.process.send_signal(number)
        status = self.process.wait(60)
        self._reader.join()
        return status

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process and self.process.poll() is None:
            self.end()
        assert "Traceback" not in "".join(self.said), "".join(self.said)
