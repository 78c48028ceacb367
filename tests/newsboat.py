"""newsboat, driven as its users do: by its command line, and by keys in a terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
from dataclasses import dataclass
from pathlib import Path

NEWSBOAT = Path("/usr/bin/newsboat")
_WAIT_S = 60.0


@dataclass
class Newsboat:
    """newsboat with an account at a service that speaks the Google Reader protocol (which it knows as FeedHQ's)."""

    folder: Path
    url: str
    login: str
    password: str

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        config = {
            "urls-source": "feedhq",
            "feedhq-url": self.url,
            "feedhq-login": self.login,
            "feedhq-password": self.password,
            "feedhq-flag-star": "s",
            "feedhq-show-special-feeds": "no",
            "confirm-exit": "no",
            "show-read-feeds": "yes",
        }
        (self.folder / "config").write_text("".join(f'{name} "{value}"\n' for name, value in config.items()))
        (self.folder / "urls").write_text("")

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

    def keys(self, *steps: tuple[str, str]) -> None:
        """Show it in a terminal; each step waits for a text on the screen, then types."""
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


def _until(terminal: int, text: str) -> None:
    seen, end = b"", time.monotonic() + _WAIT_S
    while text.encode() not in seen:
        assert time.monotonic() < end, (text, seen[-2000:])
        if select.select([terminal], [], [], 1)[0]:
            seen += os.read(terminal, 65536)


def _drain(terminal: int) -> None:
    """Read until it has ended."""
    try:
        while os.read(terminal, 65536):
            pass
    except OSError:
        pass
