"""The way to a PostgreSQL server, which can be cut."""

from __future__ import annotations

import shutil
import socket
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

_SOCKET = ".s.PGSQL.5432"


class Way:
    """A socket that leads to that of a server. While it is cut, what is sent is lost, and nobody is told."""

    def __init__(self, server: Path) -> None:
        self._server = server / _SOCKET
        self.folder = Path(tempfile.mkdtemp(prefix="veille-way-"))
        self._open = threading.Event()
        self._open.set()
        self._ends: list[socket.socket] = []
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(self.folder / _SOCKET))
        self._listening.listen(128)
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        # A socket that is only closed would not wake its thread.
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._thread.join(5)
        self._listening.close()
        self._close_all()
        shutil.rmtree(self.folder, ignore_errors=True)

    def cut(self, seconds: float) -> None:
        """Nothing passes for a while; then all that was connected is not any more."""
        self._open.clear()
        time.sleep(seconds)
        self._close_all()
        self._open.set()

    def _close_all(self) -> None:
        ends, self._ends = self._ends, []
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _serve(self) -> None:
        while True:
            try:
                near, _ = self._listening.accept()
            except OSError:
                return
            far = socket.socket(socket.AF_UNIX)
            try:
                self._open.wait()
                far.connect(str(self._server))
            except OSError:
                near.close()
                far.close()
                continue
            self._ends += [near, far]
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self._pass_on, args=(one, other), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if not self._open.is_set():
                    # Lost; the end comes with that of the cut.
                    continue
                target.sendall(data)
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
