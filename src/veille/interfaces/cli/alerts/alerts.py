"""`veille alerts`: what rules fired, and how it was told."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from veille.bootstrap import App
from veille.core.alerts.phrases import because, headline, one_line
from veille.core.alerts.records import AlertFilter, AlertLine, Telling, TellingState
from veille.core.models import Dossier
from veille.errors import NotFoundError
from veille.interfaces.cli._command import Answer, Dossiers, Named, OneDossier, command, done
from veille.interfaces.cli._output import console, plain
from veille.interfaces.cli.terminal.table import when

alerts = typer.Typer(invoke_without_command=True)


@alerts.callback()
@command
def list_alerts(
    app: App,
    dossiers: Dossiers,
    *,
    rule: Annotated[str, typer.Option("--rule", help="Only of this rule."), Named("rules")] = "",
    source: Annotated[str, typer.Option("--source", "-S", help="Only of this source."), Named("sources")] = "",
    limit: Annotated[int, typer.Option("--limit", "-l", min=1, max=1000, help="How many of each dossier.")] = 20,
) -> Answer:
    """List what rules fired, with the evidence and how it was told, newest first.

    Examples:
        veille alerts

        veille alerts --rule "price falls" --limit 100 --json

    """
    found = [
        (where, line)
        for where, wanted in _filters(app, dossiers, rule, source)
        for line in app.rules.alerts(where.id, wanted, limit=limit)
    ]
    return Answer(
        [_shown(where, line) for where, line in found],
        show=lambda: _print(found),
        message="" if found else "No rule has fired.",
    )


@alerts.command("resend")
@command
def resend_alert(
    app: App,
    where: OneDossier,
    alert: Annotated[str, typer.Argument(help="Its number or id, from `veille alerts`.")],
    *,
    tell: Annotated[
        list[str] | None,
        typer.Option("--tell", help="A channel (repeat it); default: those that told it."),
        Named("channels"),
    ] = None,
) -> Answer:
    """Tell an alert again; `veille deliver` sends it, or the service that runs.

    Examples:
        veille alerts resend 12

        veille alerts resend 12 --tell me

    """
    line = app.rules.resend(where.id, alert, tell or ())
    told = ", ".join(dict.fromkeys(one.channel for one in line.tellings if one.state is TellingState.WAITING))
    message = f"Alert {line.seq} is told again by {told}. `veille deliver` sends it now."
    return done(_shown(where, line), message)


def _filters(app: App, dossiers: list[Dossier], rule: str, source: str) -> list[tuple[Dossier, AlertFilter]]:
    """The dossiers that have what was named; NotFoundError if none has."""
    found: list[tuple[Dossier, AlertFilter]] = []
    missing: NotFoundError | None = None
    for where in dossiers:
        try:
            wanted = AlertFilter(
                rule_id=app.rules.find(where.id, rule).id if rule else "",
                source_id=app.sources.find(where.id, source).id if source else "",
            )
        except NotFoundError as error:
            missing = error
        else:
            found.append((where, wanted))
    if missing is not None and not found:
        raise missing
    return found


def _print(found: list[tuple[Dossier, AlertLine]]) -> None:
    """Every alert as a few lines: a table of all this would be too wide."""
    out = console()
    for where, line in found:
        alert = line.alert
        head = f"{line.seq}  {when(alert.at)}  {where.name}  {one_line(alert.rule)}"
        out.print(head, style="bold")
        lines = [headline(alert), *(f"because: {reason}" for reason in because(alert)), f"told: {_told(line)}"]
        for text in lines:
            out.print(text, indent=3)


def _told(line: AlertLine) -> str:
    if not line.tellings:
        return "nobody"
    return "; ".join(map(_telling, line.tellings))


def _telling(telling: Telling) -> str:
    sent = f" {when(telling.sent_at)}" if telling.sent_at is not None else ""
    problem = f" ({telling.problem})" if telling.problem and telling.state is not TellingState.SENT else ""
    return f"{telling.channel} {telling.state}{sent}{problem}"


def _shown(where: Dossier, line: AlertLine) -> dict[str, Any]:
    alert = plain(line.alert)
    return {"dossier": where.name, "number": line.seq, **alert, "tellings": plain(line.tellings)}
