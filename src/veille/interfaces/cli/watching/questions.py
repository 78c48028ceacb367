"""`veille questions`: queries that search engines are asked regularly, and their results."""

from __future__ import annotations

from typing import Annotated

import typer

from veille.bootstrap import App
from veille.core.schedule import duration_ms
from veille.interfaces.cli._command import Answer, Dossiers, DossierToFill, Named, OneDossier, command, done, listing
from veille.interfaces.cli.terminal.listing import Row
from veille.interfaces.cli.terminal.table import At, Wide
from veille.interfaces.cli.watching.sources import shown_source
from veille.services.watching.questions import Asking

questions = typer.Typer(invoke_without_command=True)


@questions.callback()
@listing
def list_questions(app: App, dossiers: Dossiers) -> Answer:
    """List the questions and their state. `veille run`, `sources pause` and `sources delete` work on them, too.

    Example:
        veille questions --dossier competitors

    """
    found = [(where, source) for where in dossiers for source in app.questions.all(where.id)]
    rows = [
        (
            where.name,
            source.config["text"],
            source.config.get("keywords", ""),
            ", ".join(source.config["channels"]),
            f"{source.state} ({source.error_code})" if source.error_code else source.state,
        )
        for where, source in found
    ]
    hint = 'Nothing is asked yet: veille questions add "Who rebuilds the bridge?" --channel brave_api'
    return Answer(
        [shown_source(where, source) for where, source in found],
        ("Dossier", "Question", Wide("Keywords"), "Engines", "State"),
        rows,
        "" if rows else hint,
        noun="sources",
        keys=[Row(where.id, source.id, source.name) for where, source in found],
    )


@questions.command("add")
@command
def add_question(
    app: App,
    where: DossierToFill,
    text: Annotated[str, typer.Argument(help="The question, as you would ask it.")],
    *,
    channel: Annotated[list[str] | None, typer.Option("--channel", "-c", help="An engine to ask (repeat it).")] = None,
    keywords: Annotated[str, typer.Option("--keywords", help="Ask the engines these words instead.")] = "",
    every: Annotated[str, typer.Option("--every", "-e", help="How often to ask: 1h, 1d.")] = "1d",
    max_results: Annotated[int, typer.Option("--max-results", help="Results taken from one engine; 0: all.")] = 20,
    snippets: Annotated[bool, typer.Option("--snippets", help="Keep the snippets; do not read the pages.")] = False,
    name: Annotated[str, typer.Option("--name", "-n", help="What to call it (default: the question).")] = "",
) -> Answer:
    """Ask search engines the same question regularly, and keep what is new.

    Examples:
        veille questions add "Who rebuilds the harbour bridge?" --channel brave_api --every 12h

        veille questions add "LLM inference" --keywords "llm inference 2026" -c github_search --snippets

    """
    asking = Asking(
        text=text,
        keywords=keywords,
        channels=tuple(channel or ()),
        interval_ms=duration_ms(every),
        max_results=max_results,
        follow_links=not snippets,
        name=name,
    )
    source = app.questions.add(where.id, asking)
    asked = ", ".join(source.config["channels"])
    return done(shown_source(where, source), f"Asking {asked} every {every}. `veille run` asks at once.")


@questions.command("series")
@listing
def show_series(
    app: App,
    where: OneDossier,
    question: Annotated[str, typer.Argument(help="Name, id or text of the question."), Named("sources")],
) -> Answer:
    """Show how many results each run found, and how many were new.

    Example:
        veille questions series "LLM inference" --json

    """
    points = app.questions.series(where.id, question)
    rows = [(At(point.at), point.found or 0, point.new, point.changed, point.failed) for point in points]
    return Answer(points, ("Run", "Results", "New", "Changed", "Failed"), rows)
