"""Opening Chroma: as a folder for one program at a time, or as a server that must answer in time."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veille.adapters.files import locked
from veille.adapters.sender import ask
from veille.core.addresses import parse
from veille.core.traffic import Order
from veille.errors import SinkError

if TYPE_CHECKING:
    from veille.ports import Sender

_LOCKED = 75
_PROBE = f"""
import sqlite3, sys
try:
    database = sqlite3.connect(sys.argv[1], float(sys.argv[2]), isolation_level=None)
    database.execute("BEGIN IMMEDIATE")
    database.execute("ROLLBACK")
except sqlite3.OperationalError as error:
    sys.exit({_LOCKED} if "locked" in str(error) else 0)
"""


@contextmanager
def client_of_folder(folder: Path, timeout_s: float) -> Iterator[Any]:
    """Opened and closed every time: a client that stays open does not see what other programs write."""
    chromadb = _library()
    folder.mkdir(parents=True, exist_ok=True)
    # Two clients on one folder do not see each other's vectors, and lose them.
    with locked(folder / ".veille.lock", timeout_s, _busy(folder, timeout_s)):
        _await_database(folder / "chroma.sqlite3", timeout_s)
        client = chromadb.PersistentClient(path=str(folder), settings=_settings())
        try:
            yield client
        finally:
            client.close()


class ServerClient:
    """A client with a timeout on every wait. It is kept open: Chroma never frees all of a client."""

    def __init__(self, url: str, *, token: str, home: tuple[str, str], sender: Sender, timeout_s: float) -> None:
        self._url = url.rstrip("/")
        # Connections end with their response: Chroma has no way to close them.
        self._headers = {"Connection": "close"} | ({"Authorization": f"Bearer {token}"} if token else {})
        self._home = home
        self._sender = sender
        self._timeout_s = timeout_s
        self._client: Any = None

    @contextmanager
    def opened(self) -> Iterator[Any]:
        """The client; after a failure a new one is created."""
        client = self._client or self._connect()
        self._client = None
        yield client
        self._client = client

    def _connect(self) -> Any:
        chromadb = _library()
        # The constructor of Chroma's client may wait forever; so check first that the server responds.
        headers = tuple((name, value) for name, value in self._headers.items() if name == "Authorization")
        order = Order(key="heartbeat", url=f"{self._url}/api/v2/heartbeat", headers=headers, by_operator=True)
        ask(self._sender, order, self._timeout_s, who="Chroma", code="sink.chroma")
        url = parse(self._url)
        client = chromadb.HttpClient(
            # A host with a path in it is taken for the whole address.
            host=self._url if url.path != "/" else url.host,
            port=url.port,
            ssl=url.scheme == "https",
            headers=dict(self._headers),
            settings=_settings(),
            tenant=self._home[0],
            database=self._home[1],
        )
        client._server._session.timeout = self._timeout_s  # noqa: SLF001 - there is no public way to set one
        return client


def _library() -> Any:
    try:
        import chromadb  # noqa: PLC0415 - seconds to import, and in an extra
    except ImportError as error:
        raise SinkError("The sink `chroma` needs an extra: pip install 'veille[chroma]'.", code="sink.extra") from error
    return chromadb


def _settings() -> Any:
    from chromadb.config import Settings  # noqa: PLC0415 - as above

    # Do not read an `.env` of the current folder, and send no telemetry.
    return Settings(_env_file=None, anonymized_telemetry=False)


def _await_database(path: Path, timeout_s: float) -> None:
    """Wait while another program has locked the database: Chroma itself would wait forever.

    In a separate process, because closing a database file releases all locks its process has on it.
    """
    command = [sys.executable, "-I", "-S", "-c", _PROBE, str(path), str(timeout_s)]
    if path.exists() and subprocess.run(command, check=False).returncode == _LOCKED:  # noqa: S603 - our own program
        raise _busy(path.parent, timeout_s)


def _busy(folder: Path, timeout_s: float) -> SinkError:
    return SinkError(
        f"Another program has been writing to {folder} for {timeout_s:g} s; it will be tried again. "
        "Where several programs write all the time, run a Chroma server and give its `url`.",
        code="sink.busy",
    )
