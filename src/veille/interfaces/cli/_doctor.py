"""`veille doctor` and `veille hosts`: health of the data folder, and requests to other hosts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from veille.bootstrap import App
from veille.bootstrap.checks import exposed, make_private
from veille.core.dates import iso
from veille.core.models import Dossier, State
from veille.core.urls import canonical, url_key
from veille.errors import ConfigError, VeilleError
from veille.interfaces.cli._options import DataOption, DossierOption, JsonOption, opened, wants_json
from veille.interfaces.cli._output import print_json, print_table, talk

doctor = typer.Typer(invoke_without_command=True)

SICK = 1


@doctor.callback()
def check(
    context: typer.Context,
    *,
    fix: Annotated[bool, typer.Option("--fix", help="Make files private that others can read.")] = False,
    dossier: DossierOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check the data folder: integrity, index, queue, sinks, proposed repairs, and who can read it.

    Exit status: 0 healthy, 1 something needs attention, 2 the check itself failed.

    Examples:
        veille doctor

        veille doctor --json

        veille doctor --fix     # files that others can read are made private

        veille doctor egress --vectors addresses.tsv --json

    """
    if context.invoked_subcommand is not None:
        return
    with opened(data) as app:
        wanted = [app.dossier(dossier)] if dossier else app.dossiers.all()
        reports = [_examine(app, where) for where in wanted]
        folder, readable = str(app.settings.data), _readable(app, fix=fix)
    healthy = all(report["healthy"] for report in reports) and not readable
    if wants_json(as_json):
        print_json({"data": folder, "healthy": healthy, "readable_by_others": readable, "dossiers": reports})
    else:
        for report in reports:
            mark = "healthy" if report["healthy"] else "NEEDS ATTENTION"
            facts = [(key, value) for key, value in report.items() if key not in {"dossier", "healthy"}]
            print_table((str(report["dossier"]), mark), facts)
        talk().print(f"{folder}: {len(reports)} dossiers, {'healthy' if healthy else 'something needs attention'}.")
    if not healthy:
        raise typer.Exit(SICK)


@doctor.command()
def egress(
    *,
    vectors: Annotated[Path, typer.Option("--vectors", help="A table: id, expect, family, url, via, dns, note.")],
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show which addresses would be fetched and which refused. The real door decides; no connection is made.

    Columns are separated by tabs; the url is JSON-escaped, `via` is the address that redirects to it. `dns` is what
    names resolve to, as in `a.example=192.0.2.1,::1|10.0.0.1`: commas separate the addresses of one answer, bars the
    answers to successive look-ups, of which the first is connected to. Exit status: 0 all as the table expects, 1 some
    differ, 2 it could not be read.

    Example:
        veille doctor egress --vectors addresses.tsv --json

    """
    try:
        table = vectors.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{vectors} cannot be read ({error}).", code="bad_vectors") from error
    with opened(data) as app:
        verdicts = app.audit_egress(table)
    expected = {cells[0]: cells[1] for line in table.splitlines() if len(cells := line.split("\t")) > 1}
    wrong = [row for row in verdicts if expected.get(row["id"]) not in {"", None, row["verdict"]}]
    if wants_json(as_json):
        print_json(verdicts)
    else:
        print_table(("Id", "Verdict", "Reason"), [(row["id"], row["verdict"], row["reason"]) for row in verdicts])
        talk().print(f"{len(verdicts)} addresses, {len(wrong)} not as expected.")
    if wrong:
        raise typer.Exit(SICK)


@doctor.command()
def address(
    urls: Annotated[list[str], typer.Argument(help="Addresses, in full.")],
    *,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show how addresses are normalised: the address that is fetched, and the key that identifies the page.

    Addresses with the same key are one document. The settings `tracking.add` and `tracking.keep` say which query
    parameters are ignored.

    Examples:
        veille doctor address 'https://www.example.org/news/?utm_source=mail&id=7' https://example.org/news?id=7

    """
    with opened(data):
        rows = [{"url": url, "fetched": canonical(url), "key": url_key(url)} for url in urls]
    if wants_json(as_json):
        print_json(rows)
    else:
        print_table(("Address", "Fetched", "Key"), [tuple(row.values()) for row in rows])


def hosts(*, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Show the requests to each host: how many, what was saved, refusals, and the current delay between requests.

    Examples:
        veille hosts

        veille hosts --json

    """
    with opened(data) as app:
        base, rows = app.settings.fetch.host_delay_ms, app.hosts.ledger()
    ledger = [
        {
            "host": state.key,
            "requests": tally.requests,
            "not_modified": tally.not_modified,
            "bytes": tally.bytes,
            "bytes_saved": tally.bytes_saved,
            "refusals": tally.refusals,
            "errors": tally.errors,
            "delay_ms": base + state.delay_ms,
            "paused_until": iso(state.paused_until) if state.paused_until else None,
            "last_status": state.last_status,
        }
        for state, tally in rows
    ]
    if wants_json(as_json):
        print_json(ledger)
        return
    headings = ("Host", "Requests", "304s", "Bytes", "Saved", "Refusals", "Errors", "Delay ms", "Paused until", "Last")
    print_table(headings, [tuple("" if cell is None else cell for cell in row.values()) for row in ledger])


def _readable(app: App, *, fix: bool) -> int:
    """How many files and folders other users of the machine can read."""
    if fix and (closed := make_private(app.settings)):
        talk().print(f"Made private: {closed} files and folders.", markup=False)
    found = [path.relative_to(app.settings.data) for path in exposed(app.settings)]
    if found:
        talk().print(
            f"Others can read {len(found)} files and folders of {app.settings.data}, such as {found[0]}: "
            "`veille doctor --fix` makes them private.",
            markup=False,
        )
    return len(found)


def _examine(app: App, where: Dossier) -> dict[str, object]:
    try:
        with app.reading(where.id) as reading:
            health = reading.records.health(app.clock())
            broken = [source for source in reading.sources.ailing() if source.state is State.BROKEN]
            late = reading.waiting.too_late(app.clock())
        waiting = app.exports.pending(where.id, app.sinks)
        repairs = [repair.proof for repair in app.repairs.open(where.id)]
        repairs += [f"{source.name} is broken: {source.error}" for source in broken]
        if late:
            repairs.append(
                f"{late} addresses are due later than any turn of their sources takes, because the clock was ahead "
                "when they were checked; `veille run`, or a worker within the hour, brings them back."
            )
    except VeilleError as error:
        return {"dossier": where.name, "healthy": False, "code": error.code, "error": str(error)}
    sound = health["integrity"] == "ok" and not health["foreign_keys"] and health["documents"] == health["indexed"]
    return {
        "dossier": where.name,
        "healthy": sound and not health["stale_leases"] and not repairs,
        **health,
        "due_too_late": late,
        "undelivered": waiting,
        "repairs": repairs,
    }
