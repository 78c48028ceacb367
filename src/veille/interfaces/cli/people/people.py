"""`veille users` and `veille audit`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from veille.core.dates import iso
from veille.interfaces.cli._options import DataOption, JsonOption, opened, tell, wants_json
from veille.interfaces.cli._output import print_json, print_table

users = typer.Typer(invoke_without_command=True)

UserArgument = Annotated[str, typer.Argument(help="E-mail address or id.")]


@users.callback()
def users_callback(context: typer.Context, *, data: DataOption = None, as_json: JsonOption = False) -> None:
    """List the users of the data folder; `veille users list` does the same.

    Example:
        veille users

    """
    if context.invoked_subcommand is None:
        list_users(data=data, as_json=as_json)


@users.command("list")
def list_users(*, data: DataOption = None, as_json: JsonOption = False) -> None:
    """List the users, including removed ones.

    Example:
        veille users list --json

    """
    with opened(data) as app:
        found = app.accounts.users.all(app.accounts.local())
    if wants_json(as_json):
        print_json(found)
        return
    rows = [
        (
            one.email,
            one.name,
            one.role,
            "active" if one.removed_at is None else "removed",
            "yes" if one.has_password else "no",
            iso(one.created_at),
        )
        for one in found
    ]
    print_table(("User", "Name", "Role", "Status", "Password", "Made"), rows)


@users.command("add")
def add_user(
    email: Annotated[str, typer.Argument(help="The address they log in with.")],
    *,
    name: Annotated[str, typer.Option("--name", help="What to call them (default: their address).")] = "",
    admin: Annotated[bool, typer.Option("--admin", help="Manages users; reads no dossier without a role.")] = False,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Create a user. The password is prompted for, or read from a pipe, so that it is not in the shell's history.

    Examples:
        veille users add ada@example.org --name 'Ada L.'

        pass show veille/ada | veille users add ada@example.org --admin

    """
    password = asked_password()
    with opened(data) as app:
        made = app.accounts.users.add(app.accounts.local(), email, name, password, is_admin=admin)
    tell(made, f"{made.email} can log in; `veille members add` lets them into a dossier.", as_json=as_json)


@users.command("remove")
def remove_user(email: UserArgument, *, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Remove a user: their sessions, tokens and roles end at once; the record and the audit log stay.

    Example:
        veille users remove ada@example.org

    """
    with opened(data) as app:
        gone = app.accounts.users.remove(app.accounts.local(), email)
    tell(gone, f"{gone.email} is removed.", as_json=as_json)


@users.command("password")
def set_password(email: UserArgument, *, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Set a user's password, prompted for or read from a pipe; all their sessions end.

    Example:
        veille users password ada@example.org

    """
    password = asked_password()
    with opened(data) as app:
        changed = app.accounts.users.set_password(app.accounts.local(), email, password)
    tell(changed, f"The password of {changed.email} is set.", as_json=as_json)


def asked_password() -> str:
    """Prompt for a password twice, hidden, or read one line from a pipe."""
    if sys.stdin.isatty():
        return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))
    return sys.stdin.readline().rstrip("\r\n")


def audit(
    *,
    dossier: Annotated[str | None, typer.Option("--dossier", help="Only what concerns this dossier.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many lines.")] = 100,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show who did what, newest first: logins, users, tokens, roles, dossiers. Lines are never changed or removed.

    Examples:
        veille audit

        veille audit --dossier competitors --json

    """
    with opened(data) as app:
        lines = app.accounts.audit(app.accounts.local(), dossier, limit)
        names = {one.id: one.name for one in app.dossiers.all()}
    if wants_json(as_json):
        print_json(lines)
        return
    rows = [
        (
            iso(line.at),
            line.who,
            line.way,
            line.action,
            names.get(line.dossier_id, line.dossier_id),
            ", ".join(f"{key}={value}" for key, value in line.detail.items()),
        )
        for line in lines
    ]
    print_table(("When", "Who", "By", "What", "Dossier", "Detail"), rows)
