"""`veille mcp`: MCP tools on the dossiers, for an agent on this machine."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, cast

import typer

from veille.core.access.access import SCOPES, ScopeName
from veille.errors import ConfigError
from veille.interfaces.cli._options import DataOption, opened

#: Default scopes of an agent.
DEFAULT: tuple[ScopeName, ...] = ("read",)


def mcp(
    *,
    scope: Annotated[
        list[str] | None,
        typer.Option("--scope", help="What the agent may do: read, fetch, write; repeatable. Default: read."),
    ] = None,
    data: DataOption = None,
) -> None:
    """Serve the Model Context Protocol over standard input and output, to an agent that starts this command.

    With VEILLE_TOKEN set to a token, the agent may do what the token allows, in its dossiers, and --scope can only
    reduce that. Without one it works on behalf of the owner of the data folder.

    Examples:
        veille mcp

        veille mcp --scope read --scope fetch --data ~/news

    """
    import anyio  # noqa: PLC0415 - only this command needs it

    from veille.interfaces.mcp import serve_pipe  # noqa: PLC0415 - slow to import

    unknown = set(scope or ()) - set(SCOPES)
    if unknown:
        raise ConfigError(f"There is no scope {min(unknown)!r}; there are: {', '.join(SCOPES)}.", code="bad_scope")
    with opened(data) as app:
        token = app.settings.token
        access = app.accounts.by_token(token.get_secret_value()) if token else app.accounts.local()
        access.require("mcp")
        usual = SCOPES if token else DEFAULT
        # Ctrl-C ends it without a message.
        with suppress(KeyboardInterrupt):
            anyio.run(serve_pipe, app, access, frozenset(cast("list[ScopeName]", scope or usual)))
