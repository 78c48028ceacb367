"""`veille members`: the members of a dossier and their roles."""

from __future__ import annotations

from typing import Annotated

import typer

from veille.core.access.access import Role
from veille.core.dates import iso
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
from veille.interfaces.cli.people.people import UserArgument

members = typer.Typer(invoke_without_command=True)


@members.callback()
def members_callback(
    context: typer.Context, *, dossier: InDossierOption = None, data: DataOption = None, as_json: JsonOption = False
) -> None:
    """List the members of a dossier and their roles; `veille members list` does the same.

    Example:
        veille members --dossier competitors

    """
    if context.invoked_subcommand is None:
        list_members(dossier=dossier, data=data, as_json=as_json)


@members.command("list")
def list_members(*, dossier: InDossierOption = None, data: DataOption = None, as_json: JsonOption = False) -> None:
    """List the members of a dossier and their roles.

    Example:
        veille members list --dossier competitors

    """
    with opened(data) as app:
        found = app.accounts.members.all(app.accounts.local(), chosen_for_adding(app, dossier).id)
    if wants_json(as_json):
        print_json([{"email": user.email, "role": one.role, "until_at": one.until} for user, one in found])
    else:
        rows = [(user.email, one.role, iso(one.until) if one.until else "") for user, one in found]
        print_table(("User", "Role", "Until"), rows)


@members.command("add")
def add_member(
    email: UserArgument,
    *,
    role: Annotated[Role, typer.Option("--role", help="reader, editor or owner.")] = Role.READER,
    dossier: InDossierOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Give a user a role in a dossier, or change it.

    A reader reads and searches, an editor also changes and checks sources, an owner also manages members and secrets
    and may delete the dossier.

    Example:
        veille members add ada@example.org --role editor --dossier competitors

    """
    with opened(data) as app:
        app.accounts.members.add(app.accounts.local(), chosen_for_adding(app, dossier).id, email, role)
    tell({"email": email, "role": role}, f"{email} is {role} now.", as_json=as_json)


@members.command("remove")
def remove_member(
    email: UserArgument, *, dossier: InDossierOption = None, data: DataOption = None, as_json: JsonOption = False
) -> None:
    """Remove a user from a dossier.

    Example:
        veille members remove ada@example.org --dossier competitors

    """
    with opened(data) as app:
        gone = app.accounts.members.remove(app.accounts.local(), chosen_for_adding(app, dossier).id, email)
    tell(
        {"email": email, "role": gone.role, "status": "removed"},
        f"{email} is no {gone.role} any more.",
        as_json=as_json,
    )
