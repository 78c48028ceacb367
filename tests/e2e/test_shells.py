"""Completion as people use it: in zsh and fish themselves."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from veille.interfaces.cli.manual.completion import script

_ENOUGH_S = 60


def _shell(name: str) -> str:
    """The shell; without it the test fails in CI, and is skipped elsewhere."""
    found = shutil.which(name)
    if found is None and not os.environ.get("CI"):
        pytest.skip(f"{name} is not installed here; `make test` installs it")
    assert found is not None
    return found


def test_fish_completes_a_command_with_what_it_does(tmp_path: Path) -> None:
    asked = 'complete -C "veille sourc"; complete -C "veille completion z"'
    veille = f'function veille; "{sys.executable}" -m veille $argv; end'
    done = subprocess.run(
        [_shell("fish"), "--no-config", "-c", f"{veille}\n{script('fish')}\n{asked}"],
        capture_output=True,
        text=True,
        check=True,
        timeout=_ENOUGH_S,
        env=os.environ | {"HOME": str(tmp_path)},
    )
    command, choice = done.stdout.splitlines()
    assert command.startswith("sources\t")
    assert choice.strip() == "zsh"


def test_zsh_completes_a_command_at_the_tab_key(tmp_path: Path) -> None:
    (tmp_path / ".zshrc").write_text(
        f'veille() {{ "{sys.executable}" -m veille "$@"; }}\n'
        f"autoload -U compinit; compinit -D -u\n{script('zsh')}\nPS1='ready> '\n"
    )
    zsh = _shell("zsh")
    process, terminal = pty.fork()
    if process == 0:
        os.execve(  # noqa: S606 - an interactive shell is what is tested
            zsh,
            ["zsh", "-d", "-i"],
            os.environ | {"ZDOTDIR": str(tmp_path), "TERM": "dumb", "HOME": str(tmp_path)},
        )
    try:
        assert "ready> " in _until(terminal, "ready> ")
        os.write(terminal, b"veille sourc\t")
        assert "sources" in _until(terminal, "sources")
    finally:
        os.close(terminal)
        os.waitpid(process, 0)


def _until(terminal: int, text: str) -> str:
    """What the shell showed until a text came, or too much time went by."""
    shown, end = "", time.monotonic() + _ENOUGH_S
    while text not in shown and time.monotonic() < end:
        if select.select([terminal], [], [], 1)[0]:
            shown += os.read(terminal, 4096).decode(errors="replace")
    return shown
