"""The pages of the demo: served together with a worker, while the sample world keeps changing."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from veille.bootstrap import open_app
from veille.core.access.access import Role
from veille.core.models import Scope, State
from veille.errors import ConfigError
from veille.interfaces.cli._output import say
from veille.services.people.accounts import FIRST_USER
from veille.signals import until_signal

if TYPE_CHECKING:
    from veille.bootstrap import App
    from veille.core.models import Dossier
    from veille.interfaces.demo.world import World
    from veille.interfaces.web._server import Server
    from veille.settings import Settings

#: How often the sample world changes.
_DRIFT_S = 15.0
#: How often the worker polls the queue.
_POLL_S = 0.5


def serve_world(app: App, dossier: Dossier, world: World) -> None:
    """Serve the pages until Ctrl-C, and keep changing the world."""
    # Only the current sources of this dossier: servers of others must not be asked every quarter of a minute.
    watched = [source.id for source in app.sources.all(dossier.id)]
    with until_signal() as stop, _working(app.settings) as worker, _server(app.settings, worker) as server:
        say("\nOpen this link, once, within 15 minutes; the sample world keeps changing meanwhile:")
        say(f"  {server.url}/setup?token={_link(app, dossier)}")
        say("Ctrl-C ends it.")
        while not stop.wait(_DRIFT_S) and server.is_alive:
            world.drift()
            well = {source.id for source in app.sources.all(dossier.id) if source.state is not State.BROKEN}
            app.queue.arm(dossier.id, app.clock(), [one for one in watched if one in well])
        say("Ending ...")


def _server(settings: Settings, worker: threading.Thread) -> Server:
    """The server on the usual port, or on a free one."""
    from veille.interfaces.web._server import Server  # noqa: PLC0415 - slow to import, and only needed here

    def workers() -> tuple[int, int]:
        return int(worker.is_alive()), 0

    try:
        return Server(settings, workers)
    except ConfigError as error:
        if error.code != "cannot_listen":
            raise
        serve = settings.serve.model_copy(update={"port": 0})
        return Server(settings.model_copy(update={"serve": serve}), workers)


def _link(app: App, dossier: Dossier) -> str:
    """A one-time link for the first administrator, who becomes owner of the demo dossier."""
    accounts, local = app.accounts, app.accounts.local()
    known = [user.email for user in accounts.users.all(local) if user.is_admin and user.removed_at is None]
    email = known[0] if known else FIRST_USER
    link = accounts.setup_link(local, email)
    accounts.members.add(local, dossier.id, email, Role.OWNER)
    return link


@contextmanager
def _working(settings: Settings) -> Iterator[threading.Thread]:
    """A worker in a thread, which checks what is due and delivers what is new."""
    end = threading.Event()

    def work() -> None:
        with open_app(settings) as app:
            while not end.wait(_POLL_S):
                for run in app.run(Scope(), stop=end.is_set):
                    app.deliver([run.dossier_id])

    thread = threading.Thread(target=work, name="worker")
    thread.start()
    try:
        yield thread
    finally:
        end.set()
        thread.join()
