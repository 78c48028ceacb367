"""The program as a user starts it: a subprocess on a data folder of its own."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any


class Cli:
    """`cli("search", "x")` runs veille on its own data folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, *arguments: str, status: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "veille", *arguments],
            capture_output=True,
            text=True,
            env=self._environment,
            timeout=60,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        assert done.returncode == status, (arguments, done.returncode, done.stdout, done.stderr)
        self.stderr = done.stderr
        return done.stdout

    def json(self, *arguments: str, status: int = 0) -> Any:
        return json.loads(self(*arguments, "--json", status=status))

    def in_terminal(self, *arguments: str, typed: str) -> str:
        """Everything that a user sees who types this into a terminal when asked."""
        ours, theirs = pty.openpty()
        try:
            process = subprocess.Popen(
                [sys.executable, "-m", "veille", *arguments],
                stdin=theirs,
                stdout=theirs,
                stderr=theirs,
                env=self._environment,
            )
            os.write(ours, typed.encode())
            process.wait(60)
            return os.read(ours, 65536).decode()
        finally:
            os.close(ours)
            os.close(theirs)

    @property
    def _environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "VEILLE_DATA": str(self.folder / "data"),
            "VEILLE_BUFFER_DIR": str(self.folder / "buffer"),
            "VEILLE_FETCH__HOST_DELAY_MS": "0",
            "VEILLE_FETCH__ALLOW_NETWORKS": '["127.0.0.0/8"]',
        }
