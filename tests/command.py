"""The program as a user starts it, on a data folder of its own."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from veille.interfaces.cli import main as start_veille
from veille.interfaces.cli import meri as start_meri
from veille.settings import CONFIG_VARIABLE

SCHEMAS = Path(__file__).parents[1] / "docs" / "reference" / "schemas"


class Cli:
    """`cli("search", "x")` runs veille on its own data folder.

    It runs in this process, which saves a second each time; `process` starts one of its own.
    """

    def __init__(self, folder: Path, **variables: str) -> None:
        self.folder = folder
        self._variables = variables

    def __call__(self, *arguments: str, status: int = 0) -> str:
        code, out, self.stderr = run_here(start_veille, ["veille", *arguments], self.environment)
        assert code == status, (arguments, code, out, self.stderr)
        return out

    def process(self, *arguments: str, status: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "veille", *arguments],
            capture_output=True,
            text=True,
            env=self.environment,
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
                env=self.environment,
            )
            os.write(ours, typed.encode())
            process.wait(60)
            return os.read(ours, 65536).decode()
        finally:
            os.close(ours)
            os.close(theirs)

    def in_dialogue(self, *arguments: str, answers: dict[str, str]) -> str:
        """Everything that a user sees who types each answer when its prompt is there, and not before."""
        ours, theirs = pty.openpty()
        shown = ""
        try:
            process = subprocess.Popen(
                [sys.executable, "-m", "veille", *arguments],
                stdin=theirs,
                stdout=theirs,
                stderr=theirs,
                env=self.environment,
                start_new_session=True,  # no terminal but this one
            )
            for prompt, answer in answers.items():
                while not shown.endswith(prompt):
                    shown += os.read(ours, 4096).decode()
                os.write(ours, f"{answer}\n".encode())
            process.wait(50)
            return shown + os.read(ours, 65536).decode()
        finally:
            os.close(ours)
            os.close(theirs)

    @property
    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "VEILLE_DATA": str(self.folder / "data"),
            "VEILLE_BUFFER_DIR": str(self.folder / "buffer"),
            "VEILLE_FETCH__HOST_DELAY_MS": "0",
            "VEILLE_FETCH__ALLOW_NETWORKS": '["127.0.0.0/8"]',
            **self._variables,
        }


def run_here(start: Callable[[], None], command: list[str], environment: dict[str, str]) -> tuple[object, str, str]:
    """Run a command in this process: its status, and what it says and complains of."""
    # Some write bytes.
    out, errors, code = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO(), None
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(errors):
        # A command that is given --config sets it.
        patch.setenv(CONFIG_VARIABLE, "")
        for name, value in environment.items():
            patch.setenv(name, value)
        patch.setattr(sys, "argv", command)
        umask = os.umask(0o077)
        try:
            start()
        except SystemExit as end:
            code = end.code or 0
        finally:
            os.umask(umask)
    out.seek(0)
    return code, out.read(), errors.getvalue()


class Meri:
    """`meri("run")` is `meri crawler run` on its own data folder; what it says as JSON is checked by its schema.

    It runs in this process, which saves a second each time; `start` starts one of its own.
    """

    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        self.environment = {
            **os.environ,
            "VEILLE_DATA": str(self.data),
            "VEILLE_FETCH__HOST_DELAY_MS": "0",
            "VEILLE_FETCH__ALLOW_NETWORKS": '["127.0.0.0/8"]',
            "MERI_USER": "ana",
        }
        self.stderr = ""

    def __call__(self, *arguments: str, status: int = 0) -> str:
        code, out, self.stderr = run_here(start_meri, ["meri", "crawler", *arguments], self.environment)
        assert code == status, (arguments, code, out, self.stderr)
        return out

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """The program under way."""
        return subprocess.Popen(
            [Path(sys.executable).with_name("meri"), "crawler", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment,
        )

    def ended(self, process: subprocess.Popen[str], status: int = 0) -> str:
        """What it said, when it has ended with that status."""
        said, self.stderr = process.communicate(timeout=60)
        assert "Traceback" not in self.stderr, self.stderr
        assert process.returncode == status, (process.args, process.returncode, said, self.stderr)
        return said

    def json(self, schema: str, *arguments: str, status: int = 0) -> Any:
        return checked(schema, self(*arguments, "--json", status=status))


def checked(schema: str, text: str) -> Any:
    """The JSON in a text, which is as the schema says."""
    found = json.loads(text)
    known = json.loads((SCHEMAS / f"crawler-{schema}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(known).validate(found)
    return found
