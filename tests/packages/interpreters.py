"""The Pythons that are on this machine, wherever they came from."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

_SAYS = "import sys; print(*sys.version_info[:2], sep='.')"
NUMBERS = tuple(f"3.{number}" for number in range(11, 15))


def pythons() -> dict[str, str]:
    """The interpreters that are found, by their version; at least the one that this runs in."""
    found = {number: path for number in NUMBERS for path in [_first(number)] if path}
    return found or {f"{sys.version_info[0]}.{sys.version_info[1]}": sys.executable}


def _first(number: str) -> str:
    """One of that version that runs."""
    return next((place for place in _places(number) if _said(place, "-c", _SAYS) == number), "")


def _places(number: str) -> Iterator[str]:
    """Where one may be: in every folder of the path, among the versions of pyenv, among those of uv."""
    for folder in os.get_exec_path():
        yield f"{folder}/python{number}"
    if root := _said("pyenv", "root"):
        yield from map(str, Path(root, "versions").glob(f"{number}.*/bin/python"))
    yield _said("uv", "python", "find", "--managed-python", number)


def _said(*command: str) -> str:
    """What a command says; nothing if it fails: a name may be there without its program (pyenv's shims)."""
    if not shutil.which(command[0]):
        return ""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""
