"""`veille tokens`: access tokens for programs."""

from __future__ import annotations

from typing import Annotated

import typer

from veille.bootstrap import App
from veille.core.access.access import SCOPES
from veille.core.access.accounts import Token
from veille.core.dates import iso
from veille.core.schedule import duration_ms
from veille.interfaces.cli._command import Answer, command, done, listing
from veille.interfaces.cli._output import plain
from veille.interfaces.cli.terminal.table import At, Wide

tokens = typer.Typer(invoke_without_command=True)

UserOption = Annotated[str, typer.Option("--user", help="Whose (default: the only user's).")]


@tokens.callback()
@tokens.command("list")
@listing
def list_tokens(app: App, *, user: UserOption = "") -> Answer:
    """List a user's tokens; their secret part is not stored and cannot be shown.

    Example:
        veille tokens list --user ada@example.org

    """
    found = app.accounts.tokens.all(app.accounts.local(), user)
    rows = [
        (
            one.id,
            one.name,
            " ".join(one.scopes),
            "all" if one.dossiers is None else len(one.dossiers),
            " ".join(one.networks) or "anywhere",
            _state(one, app.clock()),
            At(one.used_at, "never"),
        )
        for one in found
    ]
    return Answer(found, ("Token", "Name", "Scopes", Wide("Dossiers"), Wide("From"), "State", "Last used"), rows)


@tokens.command("add")
@command
def add_token(
    app: App,
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
) -> Answer:
    """Create a token for a program. It is printed once, and never shown again.

    Examples:
        veille tokens add reporting --scope read --scope export --user ada@example.org

        veille tokens add assistant --scope read --scope mcp --dossier competitors --expires 30d

        veille tokens add backup --scope export --network 10.1.0.0/16

    """
    life = None if expires == "never" else duration_ms(expires)
    ids = [app.dossier(one).id for one in dossier] if dossier else None
    made, text = app.accounts.tokens.add(
        app.accounts.local(), name, scope or ["read"], ids, life, networks=network or (), user=user
    )
    return Answer(
        {**plain(made), "token": text},
        message="Save it now: it is not shown again.",
        show=lambda: typer.echo(text),
    )


@tokens.command("revoke")
@command
def revoke_token(app: App, token_id: Annotated[str, typer.Argument(help="Its id, from `veille tokens`.")]) -> Answer:
    """Revoke a token: it is invalid from now on.

    Example:
        veille tokens revoke mfrggzdfmztwq2lk

    """
    gone = app.accounts.tokens.revoke(app.accounts.local(), token_id)
    return done({"id": gone.id, "status": "revoked"}, f"{gone.name} is revoked.")


def _state(token: Token, now: int) -> str:
    if token.revoked_at is not None:
        return "revoked"
    if not token.lives(now):
        return "expired"
    return f"until {iso(token.expires_at)}" if token.expires_at else "without end"
