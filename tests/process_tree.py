"""Processes below one, and whether they are alive."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path


def children(pid: int) -> list[int]:
    """Those that any of its threads started."""
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return []
    return [int(child) for task in tasks for child in _read(task / "children").split()]


def descendants(pid: int) -> list[int]:
    """Its children, and theirs, and so on."""
    found = children(pid)
    return found + [below for child in found for below in descendants(child)]


def command(pid: int) -> str:
    """How it was started."""
    return _read(Path(f"/proc/{pid}/cmdline")).replace("\0", " ")


def workers(pid: int) -> list[int]:
    """The workers of a service, without the process that answers requests."""
    return [child for child in children(pid) if " work " in command(child)]


def is_alive(pid: int) -> bool:
    """Whether it runs; one that ended and that nobody asked after does not."""
    stat = _read(Path(f"/proc/{pid}/stat"))
    return bool(stat) and stat.rpartition(")")[2].split()[0] != "Z"


def wait_until(condition: Callable[[], object], seconds: float = 60) -> None:
    """Look again and again until it holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.05)


def _read(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
