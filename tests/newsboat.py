"""newsboat, driven as its users do: by its command line, and by keys in a terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

#: `NEWSBOAT=/path` takes another than Debian's.
NEWSBOAT = Path(os.environ.get("NEWSBOAT", "/usr/bin/newsboat"))
#: What it calls services that speak the Google Reader protocol (all but the last), and that of Miniflux.
FEEDHQ, FRESHRSS, MINIFLUX = "feedhq", "freshrss", "miniflux"
_WAIT_S = 60.0


def version() -> tuple[int, ...]:
    """Its version: nothing if it is not installed."""
    if not NEWSBOAT.exists():
        return ()
    said = subprocess.run([NEWSBOAT, "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"(\d+)\.(\d+)", said)
    assert found, said
    return tuple(map(int, found.groups()))


@dataclass
class Newsboat:
    """newsboat with an account at a service."""

    folder: Path
    url: str
    login: str
    password: str
    service: str = FEEDHQ

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        config = {
            "urls-source": self.service,
            f"{self.service}-url": self.url,
            f"{self.service}-login": self.login,
            f"{self.service}-password": self.password,
            "confirm-exit": "no",
            "show-read-feeds": "yes",
            "show-read-articles": "yes",
            "feed-sort-order": "title",
            "goto-next-feed": "no",
        }
        if version() >= (2, 23):
            # Older ones do not ask, and do not know the setting.
            config["confirm-mark-feed-read"] = "no"
        if self.stars:
            config[f"{self.service}-flag-star"] = "s"
        if self.service != MINIFLUX or self.stars:
            config[f"{self.service}-show-special-feeds"] = "no"
        (self.folder / "config").write_text("".join(f'{name} "{value}"\n' for name, value in config.items()))
        (self.folder / "urls").write_text("")

    @property
    def stars(self) -> bool:
        """Whether it stars articles at this service."""
        return self.service != MINIFLUX or version() >= (2, 35)

    @property
    def _command(self) -> list[str]:
        return [
            str(NEWSBOAT),
            "-C",
            f"{self.folder}/config",
            "-u",
            f"{self.folder}/urls",
            "-c",
            f"{self.folder}/cache.db",
        ]

    @property
    def _environment(self) -> dict[str, str]:
        return {"PATH": os.environ["PATH"], "HOME": str(self.folder), "TERM": "xterm", "LANG": "C.UTF-8"}

    def reload(self) -> str:
        """Fetch everything; what it says of the unread articles."""
        done = subprocess.run(
            [*self._command, "-x", "reload", "print-unread"],
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=_WAIT_S,
            check=True,
        )
        return done.stdout.strip()

    def keys(self, *steps: tuple[str | Callable[[], bool], str]) -> None:
        """Show it in a terminal; each step waits for a text on the screen, or until something holds, then types."""
        process_id, terminal = pty.fork()
        if process_id == 0:
            os.execve(NEWSBOAT, self._command, self._environment)  # noqa: S606 - our own words
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 140, 0, 0))
        try:
            for awaited, typed in steps:
                _until(terminal, awaited)
                os.write(terminal, typed.encode())
            _drain(terminal)
        finally:
            os.close(terminal)
            os.waitpid(process_id, 0)


def _until(terminal: int, awaited: str | Callable[[], bool]) -> None:
    seen, end = b"", time.monotonic() + _WAIT_S
    while not (awaited.encode() in seen if isinstance(awaited, str) else awaited()):
        assert time.monotonic() < end, (awaited, seen[-2000:])
        if select.select([terminal], [], [], 0.1)[0]:
            seen += os.read(terminal, 65536)


def _drain(terminal: int) -> None:
    """Read until it has ended."""
    try:
        while os.read(terminal, 65536):
            pass
    except OSError:
        pass
