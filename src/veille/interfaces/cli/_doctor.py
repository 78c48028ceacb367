"""`veille doctor` and `veille hosts`: health of the data folder, and requests to other hosts."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from veille.bootstrap import App
from veille.bootstrap.checks import exposed, make_private
from veille.core.dates import iso
from veille.core.urls import canonical, url_key
from veille.errors import VeilleError
from veille.interfaces.cli._command import Answer, command, listing
from veille.interfaces.cli._dossiers import DossierOption
from veille.interfaces.cli._options import read_text
from veille.interfaces.cli._output import print_table, printable, say
from veille.interfaces.cli._shared import SOME_FAILED
from veille.interfaces.cli.terminal.table import Wide
from veille.interfaces.cli.terminal.text import in_words, plural

doctor = typer.Typer(invoke_without_command=True)
#: What is not in the table of a dossier.
_SAID_OTHERWISE = frozenset({"dossier", "healthy", "barely_read"})


@doctor.callback()
@command
def check(
    app: App,
    *,
    fix: Annotated[
        bool, typer.Option("--fix", help="Make files private that others can read, and wrong vectors again.")
    ] = False,
    dossier: DossierOption = None,
) -> Answer:
    """Check what is stored: integrity, index, vectors, queue, sinks, repairs, poor readings; and who can read files.

    Exit status: 0 healthy, 1 something needs attention, 2 the check itself failed.

    Examples:
        veille doctor

        veille doctor --json

        veille doctor --fix     # files that others can read are made private, missing vectors are made

        veille doctor egress --vectors addresses.tsv --json

    """
    wanted = [app.dossier(dossier)] if dossier else app.local.all()
    for where in wanted if fix else ():
        with suppress(VeilleError):  # what cannot be opened is told below
            app.meaning.mend(where.id)
    reports = [app.local.examine(where, app.sinks) for where in wanted]
    readable = _readable(app, fix=fix)
    healthy = all(report["healthy"] for report in reports) and not readable

    def show() -> None:
        for report in reports:
            mark = "healthy" if report["healthy"] else "NEEDS ATTENTION"
            facts = [(key, in_words(value)) for key, value in report.items() if key not in _SAID_OTHERWISE]
            print_table((str(report["dossier"]), mark), facts)
            for one in report.get("barely_read", ()):
                say(printable(one["advice"]))

    return Answer(
        {
            "data": str(app.settings.data),
            "store": app.store.name,
            "healthy": healthy,
            "readable_by_others": readable,
            "dossiers": reports,
        },
        message=f"{app.store.name}: {plural(len(reports), 'dossier')}, "
        f"{'healthy' if healthy else 'something needs attention'}.",
        show=show,
        status=0 if healthy else SOME_FAILED,
    )


@doctor.command()
@command
def egress(
    app: App,
    *,
    vectors: Annotated[Path, typer.Option("--vectors", help="A table: id, expect, family, url, via, dns, note.")],
) -> Answer:
    """Show which addresses would be fetched and which refused, by the rules for real requests. Nothing is requested.

    Columns are separated by tabs; the url is JSON-escaped, `via` is the address that redirects to it. `dns` is what
    names resolve to, as in `a.example=192.0.2.1,::1|10.0.0.1`: commas separate the addresses of one answer, bars the
    answers to successive look-ups, of which the first is connected to. Exit status: 0 all as the table expects, 1 some
    differ, 2 it could not be read.

    Example:
        veille doctor egress --vectors addresses.tsv --json

    """
    table = read_text(vectors, code="bad_vectors")
    verdicts = app.audit_egress(table)
    expected = {cells[0]: cells[1] for line in table.splitlines() if len(cells := line.split("\t")) > 1}
    wrong = [row for row in verdicts if expected.get(row["id"]) not in {"", None, row["verdict"]}]
    return Answer(
        verdicts,
        ("Id", "Verdict", "Reason"),
        [(row["id"], row["verdict"], row["reason"]) for row in verdicts],
        f"{plural(len(verdicts), 'address', 'addresses')}, {len(wrong)} not as expected.",
        status=SOME_FAILED if wrong else 0,
    )


@doctor.command()
@command
def address(app: App, urls: Annotated[list[str], typer.Argument(help="Addresses, in full.")]) -> Answer:  # noqa: ARG001 - it sets up `tracking`
    """Show how addresses are normalised: the address that is fetched, and the key that identifies the page.

    Addresses with the same key are one document. The settings `tracking.add` and `tracking.keep` say which query
    parameters are ignored.

    Examples:
        veille doctor address 'https://www.example.org/news/?utm_source=mail&id=7' https://example.org/news?id=7

    """
    rows = [{"url": url, "fetched": canonical(url), "key": url_key(url)} for url in urls]
    return Answer(rows, ("Address", "Fetched", "Key"), [tuple(row.values()) for row in rows])


@listing
def hosts(app: App) -> Answer:
    """Show the requests to each host: how many, what was saved, refusals, and the current delay between requests.

    Examples:
        veille hosts

        veille hosts --json

    """
    ledger = [
        {
            "host": state.key,
            **asdict(tally),
            "delay_ms": app.settings.fetch.host_delay_ms + state.delay_ms,
            "paused_until": iso(state.paused_until) if state.paused_until else None,
            "last_status": state.last_status,
        }
        for state, tally in app.hosts.ledger()
    ]
    columns = (
        *("Host", "Requests", Wide("304s"), "Bytes", Wide("Saved"), "Refusals", "Errors", "Delay ms"),
        *("Paused until", Wide("Last")),
    )
    rows = [list(row.values()) for row in ledger]
    return Answer(ledger, columns, rows, "" if ledger else "No host was asked anything yet: veille run")


def _readable(app: App, *, fix: bool) -> int:
    """How many files and folders other users of the machine can read."""
    if fix and (closed := make_private(app.settings)):
        say(f"Made private: {plural(closed, 'file or folder', 'files and folders')}.")
    found = [path.relative_to(app.settings.data) for path in exposed(app.settings)]
    if found:
        say(
            f"Others can read {plural(len(found), 'file or folder', 'files and folders')} of "
            f"{app.settings.data}, such as {found[0]}: "
            "`veille doctor --fix` makes them private."
        )
    return len(found)
