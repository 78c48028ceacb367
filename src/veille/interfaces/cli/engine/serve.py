"""`veille serve`: the whole service in one command."""

from __future__ import annotations

from typing import Annotated

import typer

from veille.bootstrap.checks import check_start
from veille.bootstrap.processes import become_service
from veille.core.access.networks import is_loopback
from veille.errors import SettingError
from veille.interfaces.cli._limits import allow_many_files
from veille.interfaces.cli._options import DataOption, opened
from veille.interfaces.cli._output import say
from veille.interfaces.cli._shared import SHARED
from veille.interfaces.listening import check_metrics_port, listen, url_of
from veille.settings import ServeSettings, load_settings


def serve(
    *,
    host: Annotated[str | None, typer.Option("--host", help="The address to listen on (default: 127.0.0.1).")] = None,
    port: Annotated[
        int | None, typer.Option("--port", "-p", min=0, max=65535, help="The port (default: 8420); 0: a free one.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", "-w", min=0, max=256, help="Worker processes (default: one a core).")
    ] = None,
    public_url: Annotated[
        str | None, typer.Option("--public-url", help="How browsers reach it: https://veille.example.org")
    ] = None,
    trusted_proxies: Annotated[
        list[str] | None, typer.Option("--trusted-proxies", help="Networks whose X-Forwarded-* headers are trusted.")
    ] = None,
    metrics_port: Annotated[
        int | None,
        typer.Option("--metrics-port", min=0, max=65535, help="A loopback port for /metrics, without a token."),
    ] = None,
    insecure_local: Annotated[
        bool | None,
        typer.Option("--insecure-local", help="Browsers on this machine need no password: it is yours alone."),
    ] = None,
    data: DataOption = None,
) -> None:
    """Run the service: workers that check whatever falls due and deliver what is new, and the REST API, until stopped.

    It listens on this machine only; on other addresses only once a user has a password. The first time, it prints a
    sign-in link, valid for 15 minutes. Ctrl-C or SIGTERM stop it: work in progress is finished or given back.

    Examples:
        veille serve

        veille serve --workers 4 --public-url https://veille.example.org --trusted-proxies 127.0.0.1/32

    """
    # Every option but the folder has the name of its setting.
    given = {name: value for name, value in locals().items() if name != "data" and value is not None}
    folder = data or SHARED.data
    # An option replaces only its own value of the file and the environment.
    settings = load_settings(data=folder, serve=load_settings(data=folder).serve.model_dump() | given)
    before, files = allow_many_files()
    with opened(data) as app:
        check_start(app.settings, app.store)
        wrong = _open_door(settings.serve, has_passwords=app.accounts.has_passwords())
    if wrong:
        raise SettingError(wrong, code="open_door")
    if files != before:
        say(f"Files that may be open at once: {files} (the system began with {before}).")
    check_metrics_port(settings.serve.metrics_port)
    listening = listen(settings.serve.host, settings.serve.port)
    url = url_of(listening)
    become_service(settings, "veille.interfaces.cli.engine.web", listening.detach(), url)


def _open_door(serve: ServeSettings, *, has_passwords: bool) -> str:
    """Why strangers could get access; empty when they cannot."""
    if serve.insecure_local and (not is_loopback(serve.host) or serve.public_url or serve.trusted_proxies):
        return (
            "--insecure-local is for a service that only this machine reaches: without --host, --public-url or proxies."
        )
    if serve.insecure_local and has_passwords:
        return "--insecure-local would let anybody in past the passwords that users have: log in with one."
    if not is_loopback(serve.host) and not has_passwords:
        return (
            f"It does not listen on {serve.host}, where others reach it, before somebody has a password: "
            "`veille users add you@example.org --admin` first."
        )
    return ""
