"""Real feeds read to values: ours beside feedparser, on the same bytes."""

from __future__ import annotations

import base64
import io
import json
import lzma
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import process_time

from measure import HERE, BenchError, World

UNIT = "feeds"
CONTESTANTS = ("veille", "feedparser")

DATA = HERE.parents[1] / "shared" / "data" / "feeds" / "real-feeds.jsonl.xz"
#: Times each feed is read, so that starting Python and importing are a small part of what is measured.
TIMES = 5


@contextmanager
def world(options: Namespace) -> Iterator[World]:
    del options
    if not DATA.is_file():
        raise BenchError(f"feeds: there are no feeds to read at {DATA}.")
    count = len(_feeds())
    yield {"count": count * TIMES, "expected": {"feeds": count}}


def work(contestant: str, world: World, folder: Path) -> None:
    del world
    feeds = _feeds()
    parsed = 0
    for _ in range(TIMES):
        parsed = sum(_parse(contestant, data) for data in feeds)
    (folder / "parsed").write_text(str(parsed))


def check(contestant: str, world: World, folder: Path) -> dict[str, int]:
    del contestant, world
    return {"feeds": int((folder / "parsed").read_text())}


def main() -> None:
    """Prints how many times as fast as feedparser we are, each feed read by both in turn."""
    ours = theirs = 0.0
    for data in _feeds():
        times = {name: min(_timed(name, data) for _ in range(3)) for name in CONTESTANTS}
        ours += times["veille"]
        theirs += times["feedparser"]
    print(f"veille {ours:.2f} s, feedparser {theirs:.2f} s: {theirs / ours:.1f}×")


def _feeds() -> list[bytes]:
    with lzma.open(DATA) as lines:
        return [base64.b64decode(json.loads(line)["data"]) for line in lines]


def _timed(contestant: str, data: bytes) -> float:
    started = process_time()
    _parse(contestant, data)
    return process_time() - started


def _parse(contestant: str, data: bytes) -> bool:
    if contestant == "veille":
        from veille.feeds import parse  # noqa: PLC0415 - its import is part of its cost

        return bool(parse(data)["entries"])
    import feedparser  # noqa: PLC0415

    return bool(feedparser.parse(io.BytesIO(data)).entries)


if __name__ == "__main__":
    sys.exit(main())
