"""Real pages of seven types, crawled to searchable: all of WCXB's that lie beside the project, 1,497.

The case `sample` has the 660 of its sample alone, in which starting weighs twice as much.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import case_crawl
from measure import HERE, World

UNIT = "pages"
CONTESTANTS = case_crawl.CONTESTANTS

_FOLDER = HERE.parent.parent / "shared" / "data" / "extraction"
SAMPLE, REST = _FOLDER / "wcxb-dev-sample.jsonl.xz", _FOLDER / "wcxb-dev-rest.jsonl.xz"
PAGES = 1497
#: Real pages repeat each other, and some hold no text for one contestant or the other.
LEAST = 0.85


def available() -> bool:
    return SAMPLE.exists() and REST.exists()


@contextmanager
def world(options: Namespace) -> Iterator[World]:
    del options
    with served(PAGES, SAMPLE, REST) as world:
        yield world


@contextmanager
def served(pages: int, *corpora: Path) -> Iterator[World]:
    """Of these many pages, most have to be found again."""
    with case_crawl.served(pages, *map(str, corpora)) as url:
        yield {"url": url, "count": pages, "expected": {"most": True}}


def work(contestant: str, world: World, folder: Path) -> None:
    case_crawl.work(contestant, world, folder)


def check(contestant: str, world: World, folder: Path) -> dict[str, bool]:
    return {"most": case_crawl.check(contestant, world, folder)["documents"] >= LEAST * world["count"]}
