"""`veille dossiers` and `veille secrets`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from veille.core.dates import iso
from veille.core.http.secrets import bound_hosts
from veille.interfaces.cli._options import (
    DataOption,
    InDossierOption,
    JsonOption,
    chosen_for_adding,
    opened,
    tell,
    wants_json,
)
from veille.interfaces.cli._output import print_json, print_table

dossiers = typer.Typer(invoke_without_command=True)
secrets = typer.Typer(invoke_without_command=True)


@dossiers.callback()
def list_dossiers(context: typer.Context, *, data: DataOption = None, as_json: JsonOption = False) -> None:
    """List the dossiers of the data folder.

    Example:
        veille dossiers

    """
    if context.invoked_subcommand is not None:
        return
    with opened(data) as app:
        found = app.dossiers.all()
    if wants_json(as_json):
        print_json(found)
    else:
        print_table(("Dossier", "Id", "Made"), [(one.name, one.id, iso(one.created_at)) for one in found])


@dossiers.command("add")
def add_dossiers(
    name: Annotated[list[str], typer.Argument(help="One or more names.")],
    *,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Create dossiers: isolated workspaces with their own sources, documents and search.

    Example:
        veille dossiers add competitors regulation

    """
    with opened(data) as app:
        access = app.accounts.local()
        made = [access.create(one) for one in name]
    tell(made, f"Made {', '.join(name)}.", as_json=as_json)


@dossiers.command("delete")
def delete_dossier(
    name: Annotated[str, typer.Argument(help="Name or id.")],
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Delete a dossier with all its content.

    Example:
        veille dossiers delete competitors --yes

    """
    with opened(data) as app:
        found = app.dossier(name)
        if not yes:
            typer.confirm(f"Delete the dossier {found.name} with all its documents?", abort=True, err=True)
        app.accounts.local().delete(found.id)
    tell(found, f"{found.name} is deleted.", as_json=as_json)


@secrets.callback()
def list_secrets(
    context: typer.Context, *, dossier: InDossierOption = None, data: DataOption = None, as_json: JsonOption = False
) -> None:
    """List a dossier's secrets with the hosts they may be sent to; their values are never shown.

    Headers of a source use them by name: `--set 'headers={"Authorization": "Bearer ${secret:NAME}"}'`.

    Example:
        veille secrets --dossier competitors

    """
    if context.invoked_subcommand is not None:
        return
    with opened(data) as app:
        bound = app.secrets.all(app.accounts.local(), chosen_for_adding(app, dossier).id)
    if wants_json(as_json):
        print_json([{"name": name, "hosts": hosts} for name, hosts in bound.items()])
    else:
        print_table(("Secret", "Hosts"), [(name, ", ".join(hosts)) for name, hosts in bound.items()])


@secrets.command("set")
def set_secret(
    name: Annotated[str, typer.Argument(help="Letters, digits and _.")],
    *,
    host: Annotated[
        list[str] | None,
        typer.Option("--host", help="A host it may be sent to: HOST, HOST:PORT or *.DOMAIN. Can be repeated."),
    ] = None,
    dossier: InDossierOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Store a secret, encrypted, for some hosts. Its value is prompted for, or read from a pipe.

    It is sent only to the hosts named here, whatever a source says. Setting it again replaces value and hosts.

    Examples:
        veille secrets set API_KEY --host api.example.org

        pass show api | veille secrets set API_KEY --host '*.example.org' --host localhost:8080 --dossier competitors

    """
    hosts = bound_hosts(host or ())
    value = typer.prompt("Value", hide_input=True, err=True) if sys.stdin.isatty() else sys.stdin.read().strip()
    with opened(data) as app:
        app.secrets.put(app.accounts.local(), chosen_for_adding(app, dossier).id, name, value, hosts)
    said = f"{name} is kept, for {', '.join(hosts)}."
    tell({"name": name, "hosts": hosts, "status": "kept"}, said, as_json=as_json)


@secrets.command("delete")
def delete_secret(
    name: Annotated[str, typer.Argument(help="Its name.")],
    *,
    dossier: InDossierOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Delete a secret.

    Example:
        veille secrets delete API_KEY

    """
    with opened(data) as app:
        app.secrets.delete(app.accounts.local(), chosen_for_adding(app, dossier).id, name)
    tell({"name": name, "status": "deleted"}, f"{name} is forgotten.", as_json=as_json)
