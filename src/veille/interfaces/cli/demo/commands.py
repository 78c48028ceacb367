"""`veille demo`: everything in half a minute, without a network; in a terminal, then its pages."""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import AbstractContextManager
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any

import typer

from veille.bootstrap import App
from veille.core.models import Change, Dossier, Scope
from veille.core.records import Delivery, Run
from veille.core.search.answers import Hit
from veille.interfaces.cli._command import command
from veille.interfaces.cli._options import opened
from veille.interfaces.cli._output import console, highlighted, print_json, printable
from veille.interfaces.cli._shared import SHARED
from veille.interfaces.cli.demo.pages import serve_world
from veille.interfaces.cli.engine.work import report, said_since
from veille.interfaces.demo.services import MINUTES, PAGE_SIZE
from veille.interfaces.demo.world import World
from veille.services.alerts.rules import RuleWish
from veille.services.watching.questions import Asking
from veille.services.watching.sources import Wish
from veille.settings import FetchSettings

QUERY = "whales OR porpoises"
WATCHED = (
    "A dossier is made, and things of every kind are watched: two feeds, the price in a shop, a notice, a dead link, "
    "a site, a folder, an API in pages, a question to a search engine, and a water gauge and a camera behind bridges. "
    "A rule tells of tea that costs more than 13."
)


@command
def demo(
    *,
    serve: Annotated[
        bool | None,
        typer.Option("--serve/--no-serve", help="Serve the pages afterwards, until Ctrl-C (default: in a terminal)."),
    ] = None,
) -> None:
    """Watch a small sample world on this machine, let it change, check it again, and search what was kept.

    Needs no network. In a terminal its pages are served afterwards, and the sample world keeps changing; elsewhere the
    command ends. The data stays, to try other commands on.

    Examples:
        veille demo

        veille demo --data /tmp/demo --no-serve

    """
    # Never that of the settings file, which has what somebody watches.
    folder = SHARED.data or Path(os.environ.get("VEILLE_DATA") or tempfile.mkdtemp(prefix="veille-demo-"))
    papers = folder.resolve() / "papers"
    loopback = (ip_network("127.0.0.0/8"),)
    fetch = FetchSettings(host_delay_ms=0, timeout_s=5, allow_networks=loopback, file_roots=(papers,))
    with World() as world, _opened(folder, fetch, world) as app:
        is_first = "demo" not in {known.name for known in app.local.all()}
        dossier = app.create_dossier("demo" if is_first else f"demo-{app.clock():x}")
        papers.mkdir(exist_ok=True)
        _say("1", WATCHED)
        _add_sources(app, dossier, world, papers)
        _say("2", "First check: everything is new, and the dead links are reported, not hidden.")
        first = _check(app, dossier)
        _say("3", "The world changes: an article appears, one is corrected, a price rises, a notice vanishes.")
        world.change()
        _file(papers, "february.md")
        _say("4", "Second check: only what changed is fetched in full, and only that is reported.")
        second = _check(app, dossier)
        hits = app.searches.search([dossier.id], QUERY)
        if SHARED.json:
            print_json({"data": str(folder), "first": _plain(*first), "second": _plain(*second), "hits": hits})
            return
        _show_end(hits, folder)
        is_watched = sys.stdin.isatty() and sys.stdout.isatty()
        if is_watched if serve is None else serve:
            serve_world(app, dossier, world)


def _opened(folder: Path, fetch: FetchSettings, world: World) -> AbstractContextManager[App]:
    bridges = {name: {"url": f"{world.url}/{name}_fetch"} for name in ("gauge", "camera")}
    return opened(folder, buffer_dir=folder / "buffer", fetch=fetch, bridges=bridges)


def _add_sources(app: App, dossier: Dossier, world: World, papers: Path) -> None:
    _file(papers, "january.md")
    wishes = (
        Wish(url=f"{world.url}/feed.xml", name="The Estuary Gazette", kind="feed", config={"follow_links": True}),
        Wish(url=f"{world.url}/post.xml", name="The Harbour Post", kind="feed", config={"follow_links": True}),
        Wish(url=f"{world.url}/shop/tea", name="Tea price", config={"values": {"price": "Price: {} crowns"}}),
        Wish(url=f"{world.url}/notice", name="Swimming hall"),
        Wish(url=f"{world.url}/old-address", name="A dead link"),
        Wish(
            url=f"{world.url}/api/ships",
            name="Ships in port",
            kind="api",
            config={
                "result_path": "ships",
                "fields": {"id": "name", "title": "name", "text": "cargo"},
                "paging": {"by": "page", "size": PAGE_SIZE},
            },
        ),
        Wish(url=f"{world.url}/guide/", name="A guide", kind="site", config={"max_pages": 10}),
        Wish(url=str(papers), name="Minutes", kind="folder"),
        Wish(url="gauge://weir", name="Water level", kind="gauge"),
        Wish(url="camera://harbour", name="Harbour camera", kind="camera"),
    )
    for wish in wishes:
        app.sources.add(dossier.id, wish)
    app.rules.add(dossier.id, RuleWish(name="Tea above 13", expression="price > 13"))
    engine = {"id": "archive", "url_template": f"{world.url}/find?q={{query}}", "result_path": "hits"}
    app.catalogue.put_engine(dossier.id, engine | {"rate_limit_ms": 0})
    app.questions.add(dossier.id, Asking(text="Where were whales seen?", keywords="whales", channels=("archive",)))


def _file(papers: Path, name: str) -> None:
    (papers / name).write_text(MINUTES[name], encoding="utf-8")


def _check(app: App, dossier: Dossier) -> tuple[list[Run], list[Delivery]]:
    app.queue.arm(dossier.id, app.clock())
    since = app.exports.end([dossier.id])
    runs = app.run(Scope(dossiers=frozenset({dossier.id})))
    deliveries = app.deliver([dossier.id])
    if not SHARED.json:
        report(runs, deliveries, {}, said_since(app, [dossier.id], since)).print()
    return runs, deliveries


def _plain(runs: list[Run], deliveries: list[Delivery]) -> dict[str, Any]:
    counts = {change.value: sum(run.counts[change] for run in runs) for change in Change}
    return {"counts": counts, "items": [item for run in runs for item in run.items], "deliveries": deliveries}


def _say(number: str, text: str) -> None:
    if not SHARED.json:
        console().print(f"\n{number}. ", "bold cyan", end="")
        console().print(text)


def _show_end(hits: list[Hit], folder: Path) -> None:
    out = console()
    _say("5", f"Search what was kept: veille search '{QUERY}'")
    for hit in hits:
        out.print(f"  {printable(hit.title)}", style="bold")
        out.print(highlighted(hit.snippet), indent=2)
    _say("6", "The files are here, and stay:")
    out.print(f"  {folder}   the data folder, with a file for every dossier")
    out.print(f"  {folder}/buffer/pending/   one Markdown file per new or changed document")
    _say("7", "Try next:")
    for name in ("changes", "search tea", "sources", "serve"):
        out.print(f"  veille {name} --data {folder}")
    out.print("\nThen watch something of your own: veille add https://example.org/news && veille run")
