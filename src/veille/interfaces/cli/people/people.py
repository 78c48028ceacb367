"""`veille users`, `veille members` and `veille audit`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from veille.bootstrap import App
from veille.core.access.access import Role
from veille.interfaces.cli._command import Answer, OneDossier, command, done, listing
from veille.interfaces.cli.people.leaving import UserArgument, delete_user, export_user
from veille.interfaces.cli.terminal.table import At, Wide
from veille.interfaces.cli.terminal.text import in_words

users = typer.Typer(invoke_without_command=True)
members = typer.Typer(invoke_without_command=True)


@users.callback()
@users.command("list")
@listing
def list_users(app: App) -> Answer:
    """List the users of the data folder, including removed ones.

    Example:
        veille users list --json

    """
    found = app.accounts.users.all(app.accounts.local())
    rows = [
        (
            one.email,
            one.name,
            one.role,
            "active" if one.removed_at is None else "removed",
            "yes" if one.has_password else "no",
            At(one.created_at),
        )
        for one in found
    ]
    columns = ("User", "Name", "Role", "Status", Wide("Password"), "Made")
    return Answer(found, columns, rows, "" if found else "There is nobody yet: veille users add anna@example.org")


@users.command("add")
@command
def add_user(
    app: App,
    email: Annotated[str, typer.Argument(help="The address they log in with.")],
    *,
    name: Annotated[str, typer.Option("--name", help="What to call them (default: their address).")] = "",
    admin: Annotated[bool, typer.Option("--admin", help="Manages users; reads no dossier without a role.")] = False,
) -> Answer:
    """Create a user. The password is prompted for, or read from a pipe, so that it is not in the shell's history.

    Examples:
        veille users add ada@example.org --name 'Ada L.'

        pass show veille/ada | veille users add ada@example.org --admin

    """
    made = app.accounts.users.add(app.accounts.local(), email, name, _asked_password(), is_admin=admin)
    return done(made, f"{made.email} can log in; `veille members add` gives them a role in a dossier.")


@users.command("remove")
@command
def remove_user(app: App, email: UserArgument) -> Answer:
    """Remove a user: their sessions, tokens and roles end at once; the record and the audit log stay.

    Example:
        veille users remove ada@example.org

    """
    gone = app.accounts.users.remove(app.accounts.local(), email)
    return done(gone, f"{gone.email} is removed.")


users.command("export")(export_user)
users.command("delete")(delete_user)


@users.command("password")
@command
def set_password(app: App, email: UserArgument) -> Answer:
    """Set a user's password, prompted for or read from a pipe; all their sessions end.

    Example:
        veille users password ada@example.org

    """
    changed = app.accounts.users.set_password(app.accounts.local(), email, _asked_password())
    return done(changed, f"The password of {changed.email} is set.")


def _asked_password() -> str:
    """Prompt for a password twice, hidden, or read one line from a pipe."""
    if sys.stdin.isatty():
        return str(typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True))
    return sys.stdin.readline().rstrip("\r\n")


@members.callback()
@members.command("list")
@listing
def list_members(app: App, where: OneDossier) -> Answer:
    """List the members of a dossier and their roles.

    Example:
        veille members list --dossier competitors

    """
    found = app.accounts.members.all(app.accounts.local(), where.id)
    return Answer(
        [{"email": user.email, "role": one.role, "until_at": one.until} for user, one in found],
        ("User", "Role", "Until"),
        [(user.email, one.role, At(one.until)) for user, one in found],
        "" if found else f"Nobody is a member of {where.name} yet: veille members add anna@example.org --role reader",
    )


@members.command("add")
@command
def add_member(
    app: App,
    where: OneDossier,
    email: UserArgument,
    *,
    role: Annotated[Role, typer.Option("--role", help="reader, editor or owner.")] = Role.READER,
) -> Answer:
    """Give a user a role in a dossier, or change it.

    A reader reads and searches, an editor also changes and checks sources, an owner also manages members and secrets
    and may delete the dossier.

    Example:
        veille members add ada@example.org --role editor --dossier competitors

    """
    app.accounts.members.add(app.accounts.local(), where.id, email, role)
    return done({"email": email, "role": role}, f"{email} is {role} now.")


@members.command("remove")
@command
def remove_member(app: App, where: OneDossier, email: UserArgument) -> Answer:
    """Remove a user from a dossier.

    Example:
        veille members remove ada@example.org --dossier competitors

    """
    gone = app.accounts.members.remove(app.accounts.local(), where.id, email)
    return done({"email": email, "role": gone.role, "status": "removed"}, f"{email} is no {gone.role} any more.")


@listing
def audit(
    app: App,
    *,
    dossier: Annotated[str | None, typer.Option("--dossier", help="Only what concerns this dossier.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many lines.")] = 100,
) -> Answer:
    """Show who did what, newest first: logins, users, tokens, roles, dossiers. Lines are never removed.

    They are never changed either, except that those of a deleted account lose its name, address and details.

    Examples:
        veille audit

        veille audit --dossier competitors --json

    """
    lines = app.accounts.audit(app.accounts.local(), dossier, limit)
    names = {one.id: one.name for one in app.local.all()}
    rows = [
        (
            At(line.at),
            line.who,
            line.way,
            line.action,
            names.get(line.dossier_id, line.dossier_id),
            ", ".join(f"{key}={in_words(value)}" for key, value in line.detail.items()),
        )
        for line in lines
    ]
    columns = ("When", "Who", Wide("By"), "What", "Dossier", "Detail")
    return Answer(lines, columns, rows, "" if lines else "Nobody has done anything yet that is noted.")
