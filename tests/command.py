"""The program as a user starts it: a subprocess on a data folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any


class Cli:
    """`cli("search", "x")` runs veille on its own data folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, *arguments: str, status: int = 0) -> str:
        environment = {
            **os.environ,
            "VEILLE_DATA": str(self.folder / "data"),
            "VEILLE_BUFFER_DIR": str(self.folder / "buffer"),
            "VEILLE_FETCH__HOST_DELAY_MS": "0",
            "VEILLE_FETCH__ALLOW_NETWORKS": '["127.0.0.0/8"]',
        }
        done = subprocess.run(
            [sys.executable, "-m", "veille", *arguments],
            capture_output=True,
            text=True,
            env=environment,
            timeout=60,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        assert done.returncode == status, (arguments, done.returncode, done.stdout, done.stderr)
        self.stderr = done.stderr
        return done.stdout

    def json(self, *arguments: str, status: int = 0) -> Any:
        return json.loads(self(*arguments, "--json", status=status))
