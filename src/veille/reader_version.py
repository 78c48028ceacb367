"""Which reader this is: everything in this installation that can change what is read from the same bytes."""

from __future__ import annotations

import hashlib
import re
from functools import cache
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from veille.version import VERSION

_NAME = re.compile(r"[\w.-]+")
#: Code, tables and trees, and the weights of nets.
_READING = frozenset({".py", ".json", ".npz"})
#: Tools of developers read nothing.
_DEV = re.compile(r"extra\s*==\s*['\"]dev['\"]")


@cache
def reader_version() -> str:
    """The version of the program, and a hash of its reading code, its models and the libraries it parses with.

    The hash is of the code itself, so that nobody has to remember to raise a number. It takes 30 ms, once a process.
    """
    folder = Path(__file__).parent / "core"
    told = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.suffix in _READING):
        told.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    told.update("\n".join(_libraries()).encode())
    return f"{VERSION}+{told.hexdigest()[:12]}"


def _libraries() -> list[str]:
    try:
        wanted = requires("veille") or []
    except PackageNotFoundError:
        # Not installed, only on the path: then the hash of the code must do.
        return []
    names = {found.group().lower() for one in wanted if not _DEV.search(one) and (found := _NAME.match(one))}
    return sorted(f"{name}=={installed}" for name in names if (installed := _installed(name)))


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
