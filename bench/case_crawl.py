"""A site crawled to searchable: every page fetched, its article taken out, stored and full-text indexed."""

from __future__ import annotations

import json
import subprocess
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from articles import PLANTED, planted
from measure import HERE, BenchError, World

UNIT = "pages"
#: The last also keeps authors, dates and the rest, as we do.
CONTESTANTS = ("veille", "scrapy+trafilatura+fts5", "the same with metadata")

#: Fetched at once from the one host, by both; nobody waits between requests.
CONCURRENCY = 16
#: The check wants all hits at once, and a search gives 1,000 at most.
MAX_PAGES = 7000


@contextmanager
def world(options: Namespace) -> Iterator[World]:
    if options.pages > MAX_PAGES:
        raise BenchError(f"crawl: at most {MAX_PAGES} pages can be checked.")
    with served(options.pages, str(options.seed)) as url:
        expected = {"documents": options.pages, "hits": planted(options.pages)}
        yield {"url": url, "count": options.pages, "expected": expected}


@contextmanager
def served(pages: int, *which: str) -> Iterator[str]:
    """The site in a process of its own; `which` is the seed of a generated one, or the files of real pages."""
    command = [sys.executable, str(HERE / "server.py"), str(pages), *which]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        site = json.loads(server.stdout.readline())
        least, mean, most = site["kb"]
        print(f"{pages} pages of {least} to {most} KB, {mean} on average", file=sys.stderr)
        try:
            yield str(site["url"])
        finally:
            server.stdin.close()


def work(contestant: str, world: World, folder: Path) -> None:
    if contestant == "veille":
        _veille(world["url"], world["count"], folder)
    else:
        from peer_scrapy import crawl

        crawl(world["url"], folder / "peer.db", CONCURRENCY, metadata=contestant == CONTESTANTS[-1])


def check(contestant: str, world: World, folder: Path) -> dict[str, int]:
    del world
    if contestant != "veille":
        from peer_scrapy import counts

        return counts(folder / "peer.db", PLANTED)
    import veille

    with veille.open_app(data=folder) as app:
        dossier = app.dossier("bench")
        with app.dossiers.open(dossier.id) as store:
            indexed = store.records.health(app.clock())["indexed"]
        hits = app.searches.search([dossier.id], PLANTED, limit=1000)
    return {"documents": int(str(indexed)), "hits": len(hits)}


def _veille(url: str, pages: int, folder: Path) -> None:
    import veille
    from veille.core.models import Scope
    from veille.services.watching.sources import Wish

    with veille.open_app(data=folder, fetch=_fetch_settings()) as app:
        dossier = app.create_dossier("bench")
        config = {"max_entries": pages, "follow_links": True}
        app.sources.add(dossier.id, Wish(url=f"{url}/feed.xml", kind="feed", config=config))
        app.run(Scope())


def _fetch_settings() -> dict[str, Any]:
    from veille.settings import FetchSettings

    # The peers have no browser: a page that needs one (one of the real ones) is not read by anybody.
    settings: dict[str, Any] = {"host_delay_ms": 0, "host_concurrency": CONCURRENCY, "browser_path": "/none"}
    if "allow_networks" in FetchSettings.model_fields:
        settings["allow_networks"] = ("127.0.0.0/8",)
    return settings
