"""`veille offers services`: what the router of outside services has."""

from __future__ import annotations

from typing import Annotated

import typer

from veille.bootstrap import App
from veille.interfaces.cli._command import Answer, listing
from veille.interfaces.cli._output import say
from veille.interfaces.cli.terminal.table import Wide


@listing
def services(
    app: App, *, ask: Annotated[bool, typer.Option("--ask", help="Ask the router now, instead of waiting.")] = False
) -> Answer:
    """List the outside services: those of the settings, and those that the router offers. Each is a kind of source.

    Examples:
        veille offers services

        veille offers services --ask

    """
    if ask:
        news = app.router.ask()
        for word, kinds in (("New", news.added), ("Changed", news.changed), ("Gone", news.removed)):
            if kinds:
                say(f"{word}: {', '.join(kinds)}.")
    offered = app.bridges.offered()
    found = [
        {
            "kind": kind,
            "from": "settings" if kind in app.settings.bridges else "router",
            "title": offered[kind].title if kind in offered else "",
            "options": list(offered[kind].options or ()) if kind in offered else [],
            "url": app.bridges[kind].url,
        }
        for kind in sorted(app.bridges)
    ]
    return Answer(
        found,
        ("Kind", "From", "Title", Wide("Options"), Wide("Address")),
        [(one["kind"], one["from"], one["title"], ", ".join(one["options"]), one["url"]) for one in found],
        "" if found else "There are none: the operator names services in [bridges.NAME], or a router in [router].",
    )
