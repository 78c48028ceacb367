"""`veille add`: detect what an address or text is, preview it, and watch it."""

from __future__ import annotations

import json
import os
import shlex
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from veille.bootstrap import App
from veille.core.crawl.roots import root_name
from veille.core.discover.detect import Alternative, target_of
from veille.core.models import Dossier
from veille.core.schedule import duration_ms
from veille.interfaces.cli._options import (
    DataOption,
    InDossierOption,
    JsonOption,
    chosen_for_adding,
    opened,
    pairs,
    wants_json,
)
from veille.interfaces.cli._output import SOME_FAILED, print_json, print_table, printable, talk
from veille.interfaces.cli.watching.lists import read_list, shown_entries, tell_entries
from veille.interfaces.cli.watching.preview import show_preview
from veille.interfaces.cli.watching.sources import AdaptiveOption, CronOption, SetOption, schedule_text, shown_source
from veille.services.watching.adding import Added, Terms
from veille.services.watching.detection import Detection
from veille.services.watching.sources import Wish

_ROBOTS = {
    "allowed": "robots.txt allows it.",
    "forbidden": "robots.txt does not want it fetched; as you named it yourself it is, unless you add it with "
    "--kind and --set robots=true.",
    "unknown": "Its robots.txt cannot be read now.",
}


@dataclass(frozen=True, kw_only=True)
class _Manner:
    """Options of the command that do not concern the source."""

    dossier: str | None
    dry_run: bool
    asks: bool
    as_json: bool


def add(
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
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
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
    json_wanted = wants_json(as_json)
    asks = not (yes or json_wanted) and sys.stdin.isatty() and sys.stdout.isatty()
    manner = _Manner(dossier=dossier, dry_run=dry_run, asks=asks, as_json=json_wanted)
    with opened(data) as app:
        if kind or option:
            config = pairs(option or [])
            wish = Wish(url=anything, kind=kind, name=name, interval_ms=terms.interval(kind), config=config)
            _add_as_said(app, replace(wish, cron=cron, adaptive=adaptive), manner)
        else:
            _add_as_found(app, anything, terms, manner)


def _add_as_said(app: App, wish: Wish, manner: _Manner) -> None:
    if manner.dry_run:
        found = app.preview(wish, 1)
        if manner.as_json:
            print_json({"added": False, "preview": found})
        else:
            show_preview(found)
        return
    where = chosen_for_adding(app, manner.dossier)
    source = app.sources.add(where.id, wish)
    _tell(app, where, Added(source=source), None, as_json=manner.as_json)


def _add_as_found(app: App, anything: str, terms: Terms, manner: _Manner) -> None:
    if manner.dossier is not None:
        app.dossier(manner.dossier)  # before anything is asked or shown
    detection, body = _looked_at(app, anything, terms)
    if manner.dry_run:
        if manner.as_json:
            print_json({"added": False, "detected": detection})
        else:
            _show(detection)
        return
    if manner.asks:
        _show(detection)
        typer.confirm("Watch it?", default=True, abort=True, err=True)
    where = chosen_for_adding(app, manner.dossier)
    added = app.adding.add(where.id, detection, body, terms)
    if not (manner.asks or manner.as_json):
        _show(detection)
    _tell(app, where, added, detection, as_json=manner.as_json)
    if any(one.is_bad for one in added.taken):
        raise typer.Exit(SOME_FAILED)


def _looked_at(app: App, anything: str, terms: Terms) -> tuple[Detection, bytes]:
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
        talk().print(printable(line), markup=False, soft_wrap=True)
    if detection.samples:
        rows = [(sample.title, sample.text[:120], sample.url) for sample in detection.samples]
        print_table((f"It would bring {detection.found}, such as", "Text", "Address"), rows)


def _said(other: Alternative) -> str:
    """An alternative, as options of this command."""
    values = {key: value if isinstance(value, str) else json.dumps(value) for key, value in other.config.items()}
    return " ".join([other.kind, *(f"--set {shlex.quote(f'{key}={value}')}" for key, value in values.items())])


def _tell(app: App, where: Dossier, added: Added, detection: Detection | None, *, as_json: bool) -> None:
    if added.source is None:
        if as_json:
            print_json({"dossier": where.name, "entries": shown_entries(app, added.taken), "detected": detection})
        else:
            tell_entries(added.taken)
        return
    if as_json:
        print_json({**shown_source(where, added.source), "detected": detection})
        return
    source = added.source
    talk().print(
        f"Watching {source.url} as kind {source.kind}, {schedule_text(source)}. `veille run` checks it now.",
        markup=False,
    )
