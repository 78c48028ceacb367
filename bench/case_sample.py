"""Real pages of seven types, crawled to searchable: the WCXB sample alone; the case `pages` has them all."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager

import case_pages
from measure import World

UNIT = case_pages.UNIT
CONTESTANTS = case_pages.CONTESTANTS
PAGES = 660

work = case_pages.work
check = case_pages.check


def available() -> bool:
    return case_pages.SAMPLE.exists()


@contextmanager
def world(options: Namespace) -> Iterator[World]:
    del options
    with case_pages.served(PAGES, case_pages.SAMPLE) as world:
        yield world
