"""`veille dossiers` and `veille secrets`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from veille.bootstrap import App
from veille.core.http.secrets import bound_hosts
from veille.interfaces.cli._command import Answer, OneDossier, command, done, listing
from veille.interfaces.cli._dossiers import chosen
from veille.interfaces.cli.people.leaving import DossierArgument, delete_dossier, export_dossier
from veille.interfaces.cli.terminal.listing import Row
from veille.interfaces.cli.terminal.table import At

dossiers = typer.Typer(invoke_without_command=True)
secrets = typer.Typer(invoke_without_command=True)


@dossiers.callback()
@listing
def list_dossiers(app: App) -> Answer:
    """List the dossiers of the data folder.

    Example:
        veille dossiers

    """
    found = app.local.all()
    return Answer(
        found,
        ("Name", "Id", "Made"),
        [(one.name, one.id, At(one.created_at)) for one in found],
        "" if found else "There are no dossiers yet: veille dossiers add competitors",
        noun="dossiers",
        keys=[Row("", one.id, one.name) for one in found],
    )


@dossiers.command("add")
@command
def add_dossiers(app: App, name: Annotated[list[str], typer.Argument(help="One or more names.")]) -> Answer:
    """Create dossiers: isolated workspaces with their own sources, documents and search.

    Example:
        veille dossiers add competitors regulation

    """
    access = app.accounts.local()
    return done([access.create(one) for one in name], f"Created {', '.join(name)}.")


dossiers.command("delete")(delete_dossier)
dossiers.command("export")(export_dossier)


@dossiers.command("options")
@command
def dossier_options(
    app: App,
    name: DossierArgument,
    *,
    keep_raw: Annotated[
        str | None, typer.Option("--keep-raw", help="Keep answers as they came: none, last or all.")
    ] = None,
) -> Answer:
    """Show or set the options of a dossier, which are the defaults of its sources.

    With `--keep-raw last` the bytes of each document's newest answer are kept, with `all` those of every revision, so
    that `veille reread` can read them again. Every page is then fetched in full at its next check. What is no longer
    kept is deleted: with `none`, everything. A source may differ: `veille sources edit NAME --set keep_raw=all`.

    Examples:
        veille dossiers options competitors

        veille dossiers options competitors --keep-raw last

    """
    found = chosen(app, name)[0]
    if keep_raw is not None:
        app.raw_answers.set_keep_raw(found.id, keep_raw)
        app.accounts.local().log("dossier.options", found.id, keep_raw=keep_raw)
    value = {"id": found.id, "name": found.name, "keep_raw": app.raw_answers.keep_raw(found.id)}
    return Answer(value, ("Option", "Value"), [("keep_raw", value["keep_raw"])])


@secrets.callback()
@listing
def list_secrets(app: App, where: OneDossier) -> Answer:
    """List a dossier's secrets with the hosts they may be sent to; their values are never shown.

    Headers of a source use them by name: `--set 'headers={"Authorization": "Bearer ${secret:NAME}"}'`.

    Example:
        veille secrets --dossier competitors

    """
    bound = app.secrets.all(app.accounts.local(), where.id)
    return Answer(
        [{"name": name, "hosts": hosts} for name, hosts in bound.items()],
        ("Secret", "Hosts"),
        [(name, ", ".join(hosts)) for name, hosts in bound.items()],
        "" if bound else "There are no secrets: veille secrets set api_token --host api.example.org",
    )


@secrets.command("set")
@command
def set_secret(
    app: App,
    where: OneDossier,
    name: Annotated[str, typer.Argument(help="Letters, digits and _.")],
    *,
    host: Annotated[
        list[str] | None,
        typer.Option("--host", help="A host it may be sent to: HOST, HOST:PORT or *.DOMAIN. Can be repeated."),
    ] = None,
) -> Answer:
    """Store a secret, encrypted, for some hosts. Its value is prompted for, or read from a pipe.

    It is sent only to the hosts named here, whatever a source says. Setting it again replaces value and hosts.

    Examples:
        veille secrets set API_KEY --host api.example.org

        pass show api | veille secrets set API_KEY --host '*.example.org' --host localhost:8080 --dossier competitors

    """
    hosts = bound_hosts(host or ())
    value = typer.prompt("Value", hide_input=True, err=True) if sys.stdin.isatty() else sys.stdin.read().strip()
    app.secrets.put(app.accounts.local(), where.id, name, value, hosts)
    return done({"name": name, "hosts": hosts, "status": "kept"}, f"{name} is stored, for {', '.join(hosts)}.")


@secrets.command("delete")
@command
def delete_secret(app: App, where: OneDossier, name: Annotated[str, typer.Argument(help="Its name.")]) -> Answer:
    """Delete a secret.

    Example:
        veille secrets delete API_KEY

    """
    app.secrets.delete(app.accounts.local(), where.id, name)
    return done({"name": name, "status": "deleted"}, f"{name} is deleted.")
