"""Named points at which the crash test kills or pauses the program; if disabled, each costs one comparison.

`VEILLE_FAILPOINT=after_fetch:kill@3` kills the process the third time it passes `after_fetch`; `stop` sends SIGSTOP, as
if the machine had frozen; `hang` holds the interpreter lock forever, as native code may. Several are separated by
commas.
"""

from __future__ import annotations

import os
import re
import signal
import threading

_HANG = "hang"
_SIGNALS = {"kill": signal.SIGKILL, "stop": signal.SIGSTOP} if hasattr(signal, "SIGKILL") else {}


def _parse(text: str) -> dict[str, tuple[str, int]]:
    points = {}
    for part in filter(None, text.split(",")):
        name, _, action = part.partition(":")
        what, _, count = action.partition("@")
        points[name] = (what or "kill", int(count or 1))
    return points


_armed = _parse(os.environ.get("VEILLE_FAILPOINT", ""))


def failpoint(name: str) -> None:
    """Pass a named point; does nothing unless the crash test armed it."""
    if not _armed or name not in _armed:
        return
    what, left = _armed[name]
    _armed[name] = (what, left - 1)
    if left == 1 and what == _HANG:
        re.match("(?:a+)+$", "a" * 100 + "b")
    elif left == 1:
        # To this very thread: a signal to the process may stop another first, and this one would run a little further.
        signal.pthread_kill(threading.get_ident(), _SIGNALS[what])
