"""`veille tokens`: access tokens for programs."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from veille.core.access.access import SCOPES
from veille.core.access.accounts import Token
from veille.core.dates import iso
from veille.core.schedule import duration_ms
from veille.interfaces.cli._options import DataOption, JsonOption, opened, tell, wants_json
from veille.interfaces.cli._output import plain, print_json, print_table, talk

tokens = typer.Typer(invoke_without_command=True)

UserOption = Annotated[str, typer.Option("--user", help="Whose (default: the only user's).")]


@tokens.callback()
def tokens_callback(
    context: typer.Context, *, user: UserOption = "", data: DataOption = None, as_json: JsonOption = False
) -> None:
    """List a user's tokens; `veille tokens list` does the same.

    Example:
        veille tokens --user ada@example.org

    """
    if context.invoked_subcommand is None:
        list_tokens(user=user, data=data, as_json=as_json)


@tokens.command("list")
def list_tokens(*, user: UserOption = "", data: DataOption = None, as_json: JsonOption = False) -> None:
    """List a user's tokens; their secret part is not stored and cannot be shown.

    Example:
        veille tokens list --user ada@example.org

    """
    with opened(data) as app:
        found = app.accounts.tokens.all(app.accounts.local(), user)
        now = app.clock()
    if wants_json(as_json):
        print_json(found)
        return
    rows = [
        (
            one.id,
            one.name,
            " ".join(one.scopes),
            "all" if one.dossiers is None else len(one.dossiers),
            " ".join(one.networks) or "anywhere",
            _state(one, now),
            iso(one.used_at) if one.used_at else "never",
        )
        for one in found
    ]
    print_table(("Token", "Name", "Scopes", "Dossiers", "From", "State", "Last used"), rows)


@tokens.command("add")
def add_token(
    name: Annotated[str, typer.Argument(help="What it is for.")],
    *,
    scope: Annotated[list[str] | None, typer.Option("--scope", help=f"Of {', '.join(SCOPES)}; repeatable.")] = None,
    dossier: Annotated[
        list[str] | None, typer.Option("--dossier", help="Only for this dossier; repeatable (default: all of theirs).")
    ] = None,
    expires: Annotated[str, typer.Option("--expires", help="After how long: 12h, 90d, or never.")] = "90d",
    network: Annotated[
        list[str] | None,
        typer.Option("--network", help="Good from this network only, such as 10.1.0.0/16; repeatable."),
    ] = None,
    user: UserOption = "",
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Create a token for a program. It is printed once, and never shown again.

    Examples:
        veille tokens add reporting --scope read --scope export --user ada@example.org

        veille tokens add assistant --scope read --scope mcp --dossier competitors --expires 30d

        veille tokens add backup --scope export --network 10.1.0.0/16

    """
    life = None if expires == "never" else duration_ms(expires)
    with opened(data) as app:
        ids = [app.dossier(one).id for one in dossier] if dossier else None
        made, text = app.accounts.tokens.add(
            app.accounts.local(), name, scope or ["read"], ids, life, networks=network or (), user=user
        )
    if wants_json(as_json):
        print_json({**plain(made), "token": text})
    else:
        sys.stdout.write(text + "\n")
        talk().print("Keep it now: it is not shown again.", markup=False)


@tokens.command("revoke")
def revoke_token(
    token_id: Annotated[str, typer.Argument(help="Its id, from `veille tokens`.")],
    *,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Revoke a token: it is invalid from now on.

    Example:
        veille tokens revoke mfrggzdfmztwq2lk

    """
    with opened(data) as app:
        gone = app.accounts.tokens.revoke(app.accounts.local(), token_id)
    tell({"id": gone.id, "status": "revoked"}, f"{gone.name} is revoked.", as_json=as_json)


def _state(token: Token, now: int) -> str:
    if token.revoked_at is not None:
        return "revoked"
    if not token.lives(now):
        return "expired"
    return f"until {iso(token.expires_at)}" if token.expires_at else "for good"
