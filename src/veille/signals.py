"""Stopping on signals, or when the parent ends."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def until_signal() -> Iterator[threading.Event]:
    """An event set by the first Ctrl-C or SIGTERM, for a graceful stop. A second one ends the process at once."""
    stop = threading.Event()

    def ask(number: int, _: object) -> None:
        stop.set()
        signal.signal(number, signal.default_int_handler)

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def when_set(stop: threading.Event, act: Callable[[], None]) -> None:
    """Call this, in a thread, as soon as the event is set."""

    def wait() -> None:
        stop.wait()
        act()

    threading.Thread(target=wait, name="stopping", daemon=True).start()


def end_with_input(stop: threading.Event, told: Callable[[str], None] = lambda _: None) -> None:
    """Set the event when standard input ends: the parent has ended, or wants this process to end.

    `told` is called, in a thread, with each line that the parent writes until then.
    """

    def listen() -> None:
        with os.fdopen(sys.stdin.fileno(), closefd=False) as lines:
            for line in lines:
                told(line.strip())
        stop.set()

    threading.Thread(target=listen, name="attached", daemon=True).start()
