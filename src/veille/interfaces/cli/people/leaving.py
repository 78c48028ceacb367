"""`veille dossiers export` and `delete`, `veille users export` and `delete`: everything leaves."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from veille.bootstrap import App
from veille.interfaces.cli._command import Answer, Named, command, done
from veille.interfaces.cli._dossiers import chosen
from veille.interfaces.cli._options import YesOption

AnywayOption = Annotated[
    bool,
    typer.Option("--anyway", help="Also if a sink, or a place of bodies, cannot be told to delete what it was given."),
]
OutOption = Annotated[Path, typer.Option("--out", "-o", help="The ZIP file.", dir_okay=False)]
DossierArgument = Annotated[
    str, typer.Argument(help="Name or id of the dossier, or its row in `veille dossiers`."), Named("dossiers")
]
UserArgument = Annotated[str, typer.Argument(help="E-mail address or id.")]


@command
def delete_dossier(app: App, name: DossierArgument, *, yes: YesOption = False, anyway: AnywayOption = False) -> Answer:
    """Delete a dossier with all its content, also where sinks took it.

    Its documents, revisions, index, vectors, pictures, kept answers and archive files go, and with the next backup the
    copies. Sinks delete what they were given; webhooks are told. What was sent to people cannot be recalled. Backups
    that were made before have it still: delete those yourself.

    Examples:
        veille dossiers export competitors --out competitors.zip

        veille dossiers delete competitors --yes

    """
    found = chosen(app, name)[0]
    if not yes:
        typer.confirm(f"Delete the dossier {found.name} with all its documents?", abort=True, err=True)
    farewell = app.leaving.deleting.dossier(app.accounts.local(), found.id, anyway=anyway)
    sinks = [{"name": one.sink, "recall": one.recall, "code": one.code} for one in farewell.sinks]
    value = asdict(found) | {"sinks": sinks, "left": farewell.left}
    return done(value, "\n".join([f"{found.name} is deleted.", *farewell.left]))


@command
def export_dossier(app: App, name: DossierArgument, out: OutOption) -> Answer:
    """Write a whole dossier to a ZIP file: JSON lines, pictures, kept answers, and a manifest with SHA-256 sums.

    Everything that is kept is in it: sources, documents with all revisions, values, changes, rules, alerts, tags, and
    what people read and keep; no passwords, tokens or secrets. The file appears only when it is complete. Contents:
    docs/reference/exchange.md. For the current documents alone there is `veille export`.

    Example:
        veille dossiers export competitors --out competitors.zip

    """
    found = chosen(app, name)[0]
    report = app.leaving.takeout.dossier(app.accounts.local(), found.id, out)
    return done(report, f"{out} has {report.lines} lines in {report.files} files.")


@command
def export_user(app: App, email: UserArgument, out: OutOption) -> Answer:
    """Write what is kept about a user to a ZIP file, with the dossiers that they own.

    Of dossiers that others own it has what the user read and keeps, and the rules, channels and links they made.

    Example:
        veille users export ada@example.org --out ada.zip

    """
    report = app.leaving.takeout.account(app.accounts.local(), out, email)
    return done(report, f"{out} has {report.lines} lines in {report.files} files.")


@command
def delete_user(app: App, email: UserArgument, *, yes: YesOption = False, anyway: AnywayOption = False) -> Answer:
    """Delete an account: everything about the user, and the dossiers that nobody else is a member of.

    Rules and channels they made for others stay, without their name; links they shared end. Lines of the audit log
    stay, without name, address and details. It can be repeated if it was interrupted, also for a user who was removed.

    Examples:
        veille users export ada@example.org --out ada.zip

        veille users delete ada@example.org --yes

    """
    access = app.accounts.local()
    plan = app.leaving.deleting.plan(access, email)
    if not yes:
        with_it = f" and the dossiers {', '.join(one.name for one in plan.goes)}" if plan.goes else ""
        typer.confirm(f"Delete the account {plan.user.email}{with_it}?", abort=True, err=True)
    plan, farewells = app.leaving.deleting.account(access, email, anyway=anyway)
    left = [line for one in farewells for line in one.left]
    told = [f"The account {plan.user.email} is deleted.", *(f"{one.dossier.name} is deleted." for one in farewells)]
    dossiers = [{"id": one.dossier.id, "name": one.dossier.name} for one in farewells]
    value = {"id": plan.user.id, "email": plan.user.email, "status": "deleted", "dossiers": dossiers, "left": left}
    return done(value, "\n".join(told + left))
