"""Real pages of seven types, crawled to searchable: the WCXB sample, where it lies beside the project."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import case_crawl
from measure import HERE, World

UNIT = "pages"
CONTESTANTS = case_crawl.CONTESTANTS

CORPUS = HERE.parent.parent / "shared" / "data" / "extraction" / "wcxb-dev-sample.jsonl.xz"
PAGES = 660
#: Real pages repeat each other, and some hold no text for one contestant or the other.
LEAST = 0.85


def available() -> bool:
    return CORPUS.exists()


@contextmanager
def world(options: Namespace) -> Iterator[World]:
    del options
    with case_crawl.served(PAGES, str(CORPUS)) as url:
        yield {"url": url, "count": PAGES, "expected": {"most": True}}


def work(contestant: str, world: World, folder: Path) -> None:
    case_crawl.work(contestant, world, folder)


def check(contestant: str, world: World, folder: Path) -> dict[str, bool]:
    return {"most": case_crawl.check(contestant, world, folder)["documents"] >= LEAST * PAGES}
