"""News at scale: articles of ten papers, from feeds to the workbook. `python bench/news.py --articles 5000`.

The papers are served by a process of their own; what is counted is the CPU time of veille's processes alone.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from email.utils import format_datetime
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from newsroom import article
from world import Page, Site

PAPERS = 10


def serve(pipe: Connection, articles: int) -> None:
    each = articles // PAPERS
    at = format_datetime(datetime.fromtimestamp(time.time(), UTC))
    sites = [Site() for _ in range(PAPERS)]
    for number, site in enumerate(sites):
        site.__enter__()
        names = [f"paper {number} story {story}" for story in range(each)]
        for story, name in enumerate(names):
            filler = "".join(
                f"\nParagraph {line} of {name}: " + "the council heard more of it. " * 12 for line in range(8)
            )
            site[f"/{story}"] = article(name, extra=filler)
        items = "".join(
            f"<item><link>{site.url}/{story}</link><title>{name}</title><pubDate>{at}</pubDate></item>"
            for story, name in enumerate(names)
        )
        feed = f"<rss version='2.0'><channel><language>en</language>{items}</channel></rss>"
        site["/feed.xml"] = Page(feed.encode(), type="application/rss+xml")
    pipe.send([site.url for site in sites])
    pipe.recv()


def command(folder: Path, *arguments: str) -> tuple[dict[str, Any], float, float]:
    """What it printed, its wall and its CPU seconds."""
    environment = {
        **os.environ,
        "VEILLE_DATA": str(folder),
        "VEILLE_FETCH__ALLOW_NETWORKS": '["127.0.0.0/8"]',
        "VEILLE_FETCH__HOST_DELAY_MS": "0",
        "MAX_ITEMS_PER_FEED_PER_POLL": "10000",
    }
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "veille", "--json", "news", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(done.stdout), time.monotonic() - began, cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--articles", type=int, default=5000)
    articles = parser.parse_args().articles
    ours, theirs = Pipe()
    server = Process(target=serve, args=(theirs, articles), daemon=True)
    server.start()
    urls = ours.recv()
    with tempfile.TemporaryDirectory() as folder:
        feeds = [part for url in urls for part in ("--feed", f"{url}/feed.xml")]
        for arguments in (["discovery", *feeds], ["poll"], ["work", "--worker-id", "bench", "--drain"], ["ensure"]):
            result, wall, cpu = command(Path(folder), *arguments)
            done = result.get("figures", {}).get("new_articles", 0)
            per = f", {done / cpu:.0f} articles per CPU-second, {1000 * cpu / done:.2f} ms each" if done else ""
            print(f"{arguments[0]:10} {wall:6.1f} s, {cpu:6.1f} s CPU{per}")
        size = next(Path(folder).glob("*.xlsx")).stat().st_size
        print(f"workbook {size / 1e6:.1f} MB, {articles} articles")
    ours.send(None)
    server.join()


if __name__ == "__main__":
    main()
