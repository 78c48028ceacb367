"""The Pythons of the matrix: found on the path, behind a name that leads nowhere, and among the versions of pyenv."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from packages.interpreters import pythons

OURS = f"3.{sys.version_info[1]}"


def _program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A path with names of pyenv alone, which say that there is no such command."""
    for number in ("3.11", "3.12", "3.13", "3.14"):
        _program(tmp_path / "shims" / f"python{number}", "echo not found >&2; exit 127")
    monkeypatch.setenv("PATH", f"{tmp_path}/shims:{tmp_path}/bin")
    return tmp_path


def test_a_name_without_its_program_is_passed_over(folder: Path) -> None:
    assert pythons() == {OURS: sys.executable}, "the one that runs this, if there is no other"
    there = _program(folder / "bin" / f"python{OURS}", f'exec {sys.executable} "$@"')
    assert pythons() == {OURS: str(there)}


def test_the_versions_of_pyenv_are_found(folder: Path) -> None:
    _program(folder / "bin" / "pyenv", f'[ "$1" = root ] && echo {folder}/pyenv')
    versions = folder / "pyenv" / "versions"
    there = _program(versions / f"{OURS}.99" / "bin" / "python", f'exec {sys.executable} "$@"')
    other = "3.12" if OURS != "3.12" else "3.13"
    _program(versions / f"{other}.1" / "bin" / "python", f'exec {sys.executable} "$@"')
    assert pythons() == {OURS: str(there)}, "one that says another version than its folder is none of that version"
