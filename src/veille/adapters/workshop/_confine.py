"""Confine the current process: little memory, no files to write, no network, no children. For the child only."""

from __future__ import annotations

import ctypes
import io
import os
import resource
import sys
import tempfile
from pathlib import Path
from typing import Any

_PR_SET_NO_NEW_PRIVS = 38
_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
#: All file access rights of the first version of Landlock.
_ALL_RIGHTS = (1 << 13) - 1
_PATH_BENEATH = 1
_O_PATH = 0o10000000
#: Folders of shared libraries and time zones; they hold no secrets.
_SYSTEM = ("/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/share/zoneinfo", "/etc/ld.so.cache", "/dev/null")

_FORBIDDEN_EVENTS = ("socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.system")


def confine(memory_bytes: int) -> tuple[str, str]:
    """Give up everything that reading a document does not need; returns how network and files were blocked.

    To be called after all imports, before the first job, in a process with one thread.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    for limit, value in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_NOFILE, 32),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(limit, (value, value))
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    # After the namespace: creating one counts as a process.
    network = "namespace" if libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET) == 0 else "hidden"
    files = "landlock" if _restrict_files(libc) else "open"
    # Libraries unpack data, such as a language model, into private temporary files.
    tempfile.TemporaryFile = _in_memory  # type: ignore[assignment]
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
    os.environ.clear()
    _hide_network()
    return network, files


def _in_memory(*_: object, **__: object) -> io.BytesIO:
    """A replacement for temporary files, as none can be written."""
    return io.BytesIO()


def limit_cpu(seconds: float) -> None:
    """Limit the CPU time of the next job; the kernel ends a process that exceeds it."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    soft = int(used.ru_utime + used.ru_stime + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.RLIM_INFINITY))


_hidden: dict[str, Any] = {}


def _hide_network() -> None:
    """Keep Python code from using the network or starting a program, even where the kernel would allow it."""
    modules: dict[str, Any] = sys.modules
    for name in ("socket", "_socket", "ssl", "_ssl", "subprocess"):
        _hidden[name] = modules.get(name)
        modules[name] = None  # this forbids the import

    def refuse(event: str, _: object) -> None:
        if event.startswith(_FORBIDDEN_EVENTS):
            raise PermissionError(f"{event} is not allowed here")

    sys.addaudithook(refuse)


def admit_foreign_code() -> None:
    """Let code of others import network modules, which still cannot be used; it reads code, and no other file."""
    if not _hidden:
        return
    for name, module in _hidden.items():
        if module is None:
            del sys.modules[name]
        else:
            sys.modules[name] = module
    _hidden.clear()
    places = (*_SYSTEM, sys.prefix, sys.base_prefix, *sys.path)
    folders = tuple(os.path.realpath(place) + os.sep for place in places if place)

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str | bytes | os.PathLike):
            path = os.path.realpath(os.fsdecode(arguments[0]))
            if not f"{path}{os.sep}".startswith(folders):
                raise PermissionError("no file is read here")

    sys.addaudithook(refuse)


class _Ruleset(ctypes.Structure):
    _fields_ = (("handled_access_fs", ctypes.c_uint64),)


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


def _restrict_files(libc: ctypes.CDLL) -> bool:
    """Only code can be read from now on, and nothing written, if the kernel has Landlock (Linux 5.13)."""
    ruleset = _Ruleset(_ALL_RIGHTS)
    fd = libc.syscall(_LANDLOCK_CREATE, ctypes.byref(ruleset), ctypes.sizeof(ruleset), 0)
    if fd < 0:
        return False
    try:
        for path in {*_SYSTEM, sys.prefix, sys.base_prefix, *filter(None, sys.path)}:
            _allow_reading(libc, fd, Path(path))
        return bool(libc.syscall(_LANDLOCK_RESTRICT, fd, 0) == 0)
    finally:
        os.close(fd)


def _allow_reading(libc: ctypes.CDLL, ruleset: int, path: Path) -> None:
    try:
        parent = os.open(path, _O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    # The right to list is valid for folders only; otherwise the kernel rejects the rule.
    rights = _READ_FILE | (_READ_DIR if path.is_dir() else 0)
    beneath = _Beneath(rights, parent)
    libc.syscall(_LANDLOCK_ADD, ruleset, _PATH_BENEATH, ctypes.byref(beneath), 0)
    os.close(parent)
