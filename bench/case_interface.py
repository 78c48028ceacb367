"""The pages: how long the service takes for each, as a dossier grows, and when a browser shows the first of it.

Two dossiers, of 10,000 and of 100,000 documents, are filled and served. Their pages are asked for in turns, so that a
busy machine slows both alike. Then Chromium loads the five main pages of the smaller one.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from library import fill
from tab import CHROMIUM, Tab

SIZES = (10_000, 100_000)
ASKED, LOADS = 60, 20
#: Dossiers of somebody who has many, and their unread changes together.
DOSSIERS, UNREAD = 50, 2000
#: How long somebody looks at a page before the next: its end does not compete with the next one's beginning.
LOOK_S = 0.5
#: What a page may take: milliseconds of the service (p95), growth from the small to the large dossier, milliseconds to
#: the first paint (p50), and bytes without images.
SERVER_MS, GROWTH, PAINT_MS, WEIGHT = 100.0, 2.0, 100.0, 110_000
WORDS = ("the", "of and", "with not", "quiba", "correction", "that was", "sedi OR fogu", "her*")


def available() -> bool:
    return CHROMIUM.exists()


@dataclass
class Visitor:
    """Somebody who is logged in, on one connection."""

    url: str
    cookie: str

    def __post_init__(self) -> None:
        where = urlsplit(self.url)
        self._connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=60)

    def get(self, path: str) -> tuple[float, str]:
        """Milliseconds until all of it was there, and the page."""
        began = time.perf_counter()
        self._connection.request("GET", path, headers={"Cookie": f"sid={self.cookie}", "Accept": "text/html"})
        answer = self._connection.getresponse()
        body = answer.read()
        if answer.status != http.HTTPStatus.OK:
            raise RuntimeError(f"{path} answered {answer.status}")
        return (time.perf_counter() - began) * 1000, body.decode()


@dataclass
class World:
    """What is served: two dossiers with their owner's cookie, and the cookie of somebody with many."""

    dossiers: dict[int, str]
    cookie: str
    crowd: str


def main(seed: int = 1, sizes: tuple[int, int] = SIZES, keep: Path | None = None) -> dict[str, Any]:
    """Fill, serve, measure, print. A folder that is kept is filled once, and measured as often as wanted."""
    with tempfile.TemporaryDirectory(prefix="veille-bench-") as folder:
        data = (keep or Path(folder)) / "data"
        world = _world(data, seed, sizes)
        with Service(data) as service:
            times = _served(Visitor(service.url, world.cookie), world.dossiers, random.Random(seed))
            _tell_crowd([Visitor(service.url, world.crowd).get("/")[0] for _ in range(ASKED)])
            result = _told_served(times, sizes)
            return result | _told_painted(_painted(service.url, world.cookie, world.dossiers[sizes[0]]), sizes[0])


def _world(data: Path, seed: int, sizes: tuple[int, int]) -> World:
    """Fill the folder, or find what it was filled with."""
    import veille

    written = data.parent / f"interface-{seed}-{sizes[0]}-{sizes[1]}.json"
    if written.exists():
        kept = json.loads(written.read_text())
        return World(
            {int(size): dossier_id for size, dossier_id in kept["dossiers"].items()}, kept["cookie"], kept["crowd"]
        )
    dossiers = {}
    with veille.open_app(data=data) as app:
        for size in sizes:
            print(f"interface: filling a dossier with {size:,} documents ...", file=sys.stderr, flush=True)
            dossiers[size] = app.create_dossier(f"{size:,} documents").id
            fill(app, dossiers[size], size, seed)
        world = World(dossiers, allow_in(app, *dossiers.values()), _crowd(app, seed))
    written.write_text(json.dumps(asdict(world)))
    return world


def _crowd(app: Any, seed: int) -> str:
    """Somebody with many dossiers, all unread."""
    made = []
    for number in range(DOSSIERS):
        made.append(app.create_dossier(f"Dossier {number}").id)
        fill(app, made[-1], UNREAD // DOSSIERS, seed + number)
    return allow_in(app, *made, who="bob@example.org")


def _tell_crowd(times: list[float]) -> None:
    high = statistics.quantiles(times, n=20)[-1]
    print(
        f"home of {DOSSIERS} dossiers with {UNREAD:,} unread: p50 {statistics.median(times):.1f} ms, p95 {high:.1f} ms"
        f"  {'ok' if high <= SERVER_MS else 'TOO MUCH'}"
    )


def allow_in(app: Any, *dossier_ids: str, who: str = "ada@example.org") -> str:
    """Make somebody the owner of these dossiers; returns the cookie of their session."""
    from veille.core.access.access import Role

    local = app.accounts.local()
    app.accounts.users.add(local, who, "", None, is_admin=True)
    for dossier_id in dossier_ids:
        app.accounts.members.add(local, dossier_id, who, Role.OWNER)
    cookie: str = app.accounts.redeem(app.accounts.setup_link(local, who)).cookie
    return cookie


class Service:
    """The service on a data folder, without workers."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self.url, self.pid = "", 0

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "veille", "serve", "--port", "0", "--workers", "0", "--data", str(self._data)]
        self._process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self.pid = self._process.pid
        for line in self._process.stderr or ():
            if found := re.search(r"listens on (http://\S+)", line):
                self.url = found[1]
                # What it says further on has to go somewhere: a full pipe would stop it.
                threading.Thread(
                    target=shutil.copyfileobj, args=(self._process.stderr, sys.stderr), daemon=True
                ).start()
                return self
        raise RuntimeError("The service did not start.")

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()


def _served(visitor: Visitor, dossiers: dict[int, str], rng: random.Random) -> dict[str, dict[int, list[float]]]:
    """The times of every page, by its name and the size of the dossier."""
    documents = {size: _walk(visitor, dossier_id) for size, dossier_id in dossiers.items()}
    times: dict[str, dict[int, list[float]]] = {}
    for turn in range(ASKED):
        for size, dossier_id in dossiers.items():
            home, (older, ids) = f"/d/{dossier_id}", documents[size]
            document = f"{home}/documents/{rng.choice(ids)}"
            paths = {
                "changes": home,
                "documents": older[turn % len(older)],
                "document": document,
                "search": f"{home}/search?q={WORDS[turn % len(WORDS)].replace(' ', '+')}",
                "sources": f"{home}/sources",
            }
            for name, path in paths.items():
                times.setdefault(name, {}).setdefault(size, []).append(visitor.get(path)[0])
    return times


def _walk(visitor: Visitor, dossier_id: str) -> tuple[list[str], list[str]]:
    """The addresses of the first pages of the list of documents, and the documents on them."""
    path, pages, ids = f"/d/{dossier_id}/documents", list[str](), list[str]()
    while path and len(pages) < 10:
        _, body = visitor.get(path)
        pages.append(path)
        ids += re.findall(rf"/d/{dossier_id}/documents/([0-9a-f-]{{36}})", body)
        found = re.search(r'rel="next" href="([^"]+)"', body)
        path = found[1].replace("&amp;", "&") if found else ""
    return pages, sorted(set(ids))


def _painted(url: str, cookie: str, dossier_id: str) -> dict[str, tuple[float, int]]:
    """Of the five main pages: the median time to the first paint, and the bytes of all but images."""
    home, found = f"/d/{dossier_id}", {}
    document = _walk(Visitor(url, cookie), dossier_id)[1][0]
    paths = ("/", f"{home}/documents", f"{home}/documents/{document}", f"{home}/search?q=the", f"{home}/sources")
    with Tab() as tab:
        tab.keep(url, "sid", cookie)
        for name, path in zip(("home", "documents", "document", "search", "sources"), paths, strict=True):
            paints, weight = [], 0
            for _ in range(LOADS):
                tab.show(url + path, LOOK_S)
                while (painted := tab.ask(_PAINT)) is None:
                    # The machine is busy with something else.
                    time.sleep(LOOK_S)
                paints.append(painted)
                weight = max(weight, tab.ask(_WEIGHT))
            found[name] = (statistics.median(paints), weight)
    return found


_PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"
_WEIGHT = """[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
    .filter((entry) => entry.initiatorType !== 'img').reduce((sum, entry) => sum + entry.decodedBodySize, 0)"""


def _told_served(times: Any, sizes: tuple[int, int]) -> dict[str, Any]:
    small, large = sizes
    result: dict[str, Any] = {}
    print(f"\n{'page':12}{'p50 ms':>9}{'p95 ms':>9}   at {small:,} {'p50 ms':>9}{'p95 ms':>9}   at {large:,}   growth")
    for name, by_size in times.items():
        middle = {size: statistics.median(by_size[size]) for size in sizes}
        high = {size: statistics.quantiles(by_size[size], n=20)[-1] for size in sizes}
        growth = middle[large] / middle[small]
        is_fine = max(high.values()) <= SERVER_MS and growth < GROWTH
        print(
            f"{name:12}{middle[small]:9.1f}{high[small]:9.1f}{'':14}{middle[large]:9.1f}{high[large]:9.1f}{'':13}"
            f"{growth:7.2f}×  {'ok' if is_fine else 'TOO MUCH'}"
        )
        result |= {f"{name} p95 ms": high[large], f"{name} growth": growth}
    return result


def _told_painted(paints: Any, small: int) -> dict[str, Any]:
    result: dict[str, Any] = {}
    print(f"\n{'page':12}{'first paint, p50':>18}{'weight':>12}   at {small:,} documents, {LOADS} loads")
    for name, (paint, weight) in paints.items():
        is_fine = paint < PAINT_MS and weight < WEIGHT
        print(f"{name:12}{paint:15.0f} ms{weight / 1000:9.1f} KB   {'ok' if is_fine else 'TOO MUCH'}")
        result |= {f"{name} paint ms": paint, f"{name} bytes": weight}
    return result


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sizes", type=int, nargs=2, default=SIZES)
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="filled once, measured often")
    options = parser.parse_args()
    main(options.seed, tuple(options.sizes), options.keep)
