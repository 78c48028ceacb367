"""The web process of a service.

It is started as `python -m veille.interfaces.cli.engine.web SETTINGS SOCKET URL NURSERY LIFELINE`.
Its standard input delivers the number of workers and of restarts; when it ends, so does the process.
"""

from __future__ import annotations

import gc
import json
import logging
import os
import sys
from typing import TYPE_CHECKING

from veille.bootstrap import open_app
from veille.bootstrap.processes import tie
from veille.interfaces.cli import start
from veille.interfaces.cli._limits import allow_many_files, keep_private
from veille.interfaces.cli._shared import SOME_FAILED
from veille.settings import Settings, load_settings
from veille.signals import end_with_input, until_signal
from veille.supervisor import GREET, say

if TYPE_CHECKING:
    from veille.interfaces.web._server import Server


def _greet(settings: Settings, listens: str) -> None:
    """Print how the first user signs in."""
    url = settings.serve.public_url.rstrip("/") or listens
    if settings.serve.insecure_local:
        say(f"Browsers on this machine are signed in as its owner, without a password: {url}")
        return
    with open_app(data=settings.data) as app:
        if app.accounts.needs_setup():
            link = app.accounts.setup_link(app.accounts.local())
            say(f"Sign in with this link, once, within 15 minutes: {url}/setup?token={link}")


def _end_unbegun(settings: Settings, server: Server) -> None:
    """End at once if it still waits for its database: nobody waits for it."""
    if settings.store and server.is_alive and not server.has_begun:
        os._exit(0)


def main() -> None:
    """Answer until standard input ends, or a signal comes."""
    given, listening, url, orders = json.loads(sys.argv[1]), int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
    lifeline = tie(sys.argv[5], orders)
    os.set_inheritable(listening, False)  # noqa: FBT003 - Python's signature
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    allow_many_files()
    # Until it answers: loading and building it frees hardly anything.
    gc.disable()
    from veille.interfaces.web._server import Server  # noqa: PLC0415 - slow to import: first tie to the parent

    settings = load_settings(**given)
    keep_private(settings.umask)
    #: How many workers are alive, and how many were restarted.
    workers = (0, 0)

    def told(line: str) -> None:
        nonlocal workers
        if line == GREET:
            _greet(settings, url)
        else:
            alive, restarts = line.split()
            workers = int(alive), int(restarts)

    with until_signal() as stop:
        end_with_input(stop, told)
        with Server(settings, lambda: workers, listening=listening, beat=lifeline.beat) as server:
            gc.freeze()
            gc.enable()
            if server.metrics_url:
                say(f"Metrics: {server.metrics_url}")
            while not stop.wait(1) and server.is_alive:
                pass
            _end_unbegun(settings, server)
    if not stop.is_set():
        # The server has stopped on its own; its log says why.
        sys.exit(SOME_FAILED)


if __name__ == "__main__":
    start(main)
