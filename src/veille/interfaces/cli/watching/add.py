"""`veille add`: detect what an address or text is, preview it, and watch it."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from veille.bootstrap import App
from veille.core.crawl.roots import root_name
from veille.core.discover.detect import Alternative, target_of
from veille.core.models import Dossier, Source
from veille.core.report.read_share import advice, share_text
from veille.core.schedule import duration_ms
from veille.interfaces.cli._command import Answer, command, done
from veille.interfaces.cli._dossiers import InDossierOption, chosen_for_adding
from veille.interfaces.cli._options import SetOption, pairs
from veille.interfaces.cli._output import print_table, printable, say
from veille.interfaces.cli._shared import SHARED
from veille.interfaces.cli.watching.discover import previewed
from veille.interfaces.cli.watching.lists import imported, read_list, shown_entries
from veille.interfaces.cli.watching.sources import AdaptiveOption, CronOption, schedule_text, shown_source
from veille.services.watching.adding import Terms
from veille.services.watching.detection import Detection
from veille.services.watching.sources import Wish

_ROBOTS = {
    "allowed": "robots.txt allows it.",
    "forbidden": "robots.txt does not want it fetched; as you named it yourself it is, unless you add it with "
    "--kind and --set robots=true.",
    "unknown": "Its robots.txt cannot be read now.",
}


@command
def add(
    app: App,
    anything: Annotated[
        str, typer.Argument(help="An address, a host, a file or folder, a list of feeds, or a question in words.")
    ],
    *,
    kind: Annotated[
        str, typer.Option("--kind", "-k", help="page, feed, site, folder … (default: found out by fetching it once).")
    ] = "",
    name: Annotated[str, typer.Option("--name", "-n", help="What to call it (default: its title or address).")] = "",
    every: Annotated[
        str, typer.Option("--every", "-e", help="How often to check: 15m, 2h, 1d (default: 1h; for questions 1d).")
    ] = "",
    cron: CronOption = "",
    adaptive: AdaptiveOption = False,
    option: SetOption = None,
    channel: Annotated[list[str] | None, typer.Option("--channel", "-c", help="Engines to ask a question.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what it is and what it would bring.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    dossier: InDossierOption = None,
) -> Answer:
    """Start watching anything. It is fetched once to find out what it is, and a preview is shown.

    With --kind or --set it is not fetched first: it is watched as you say. If it cannot be reached now, its kind is
    guessed from its address. If a page has a feed with the same content, the feed is watched; --kind page watches the
    page.

    Examples:
        veille add example.org/blog

        veille add https://example.org/prices --dry-run

        veille add https://example.org/news.rss --every 15m --set follow_links=true

        veille add https://example.org/prices --cron "0 6 * * 1-5"

        veille add https://example.org/blog --adaptive --every 2h

        veille add "Who rebuilds the harbour bridge?" --channel brave_api

    """
    terms = Terms(
        name=name,
        interval_ms=duration_ms(every) if every else None,
        cron=cron,
        adaptive=adaptive,
        channels=tuple(channel or ()),
    )
    terms.check()
    if kind or option:
        return _add_as_said(app, terms.wish(anything, kind, pairs(option)), dossier, dry_run=dry_run)
    return _add_as_found(app, anything, terms, dossier, dry_run=dry_run, yes=yes)


def _add_as_said(app: App, wish: Wish, dossier: str | None, *, dry_run: bool) -> Answer:
    if dry_run:
        found = app.preview(wish, 1)
        return previewed({"added": False, "preview": found}, found)
    where = chosen_for_adding(app, dossier)
    return _answer(where, app.sources.add(where.id, wish), None)


def _add_as_found(app: App, anything: str, terms: Terms, dossier: str | None, *, dry_run: bool, yes: bool) -> Answer:
    if dossier is not None:
        app.dossier(dossier)  # before anything is asked or shown
    detection, body = _detected(app, anything, terms)
    if dry_run:
        return Answer({"added": False, "detected": detection}, show=lambda: _show(detection))
    asks = not (yes or SHARED.json) and sys.stdin.isatty() and sys.stdout.isatty()
    if asks:
        _show(detection)
        typer.confirm("Watch it?", default=True, abort=True, err=True)
    where = chosen_for_adding(app, dossier)
    added = app.adding.add(where.id, detection, body, terms)
    if not (asks or SHARED.json):
        _show(detection)
    if added.source is None:
        entries = shown_entries(app, added.taken)
        return imported({"dossier": where.name, "entries": entries, "detected": detection}, added.taken)
    return _answer(where, added.source, detection)


def _answer(where: Dossier, source: Source, detection: Detection | None) -> Answer:
    return done(
        {**shown_source(where, source), "detected": detection},
        f"Watching {source.url} as kind {source.kind}, {schedule_text(source)}. `veille run` checks it now.",
    )


def _detected(app: App, anything: str, terms: Terms) -> tuple[Detection, bytes]:
    """Detect what it is. A list of feeds on this machine is only read, like `veille import`, so it may be anywhere."""
    path = _path(anything)
    with app.detector() as detector:
        if path is not None and path.is_file():
            data = read_list(path)
            if root_name(data) == "opml":
                return detector.list_of(data, path.as_uri(), terms.interval("feed")), data
        return detector.detect(str(path) if path is not None else anything, terms.interval_of(anything))


def _path(text: str) -> Path | None:
    """The local file or folder that is meant; a folder must be written as a path, because it could be a host name."""
    path = Path(os.path.abspath(os.path.expanduser(text)))  # noqa: PTH100, PTH111 - resolve dots, but not links
    is_written_so = text.startswith(("/", "./", "../", "~")) or text in {".", ".."}
    is_file = target_of(text).shape != "words" and os.path.isfile(path)  # noqa: PTH113 - never raises
    return path if is_written_so or is_file else None


def _show(detection: Detection) -> None:
    lines = [f"{detection.url}", f"  {detection.kind}: {detection.reason}"]
    if detection.code:
        lines.append(f"  {detection.message} [{detection.code}]")
    if detection.robots:
        lines.append(f"  {_ROBOTS[detection.robots]}")
    lines.append(f"  About {detection.requests_per_month:,} requests a month.")
    lines += [f"  Or --kind {_said(other)}: {other.reason} ({other.url})" for other in detection.alternatives]
    for line in lines:
        say(printable(line))
    if detection.samples:
        rows = [(one.title, one.text[:120], one.url, share_text(one.quality)) for one in detection.samples]
        print_table((f"It would bring {detection.found}, such as", "Text", "Address", "Read"), rows)
        for hint in filter(None, (advice(one.quality) for one in detection.samples)):
            say(hint)


def _said(other: Alternative) -> str:
    """An alternative, as options of this command."""
    values = {key: value if isinstance(value, str) else json.dumps(value) for key, value in other.config.items()}
    return " ".join([other.kind, *(f"--set {shlex.quote(f'{key}={value}')}" for key, value in values.items())])
