"""PDFs: our reader against pypdf."""

from __future__ import annotations

from argparse import Namespace
from contextlib import AbstractContextManager
from pathlib import Path

from measure import World
from papers import check_shelf, read_shelf, shelf

UNIT = "documents"
CONTESTANTS = ("veille", "pypdf")


def world(options: Namespace) -> AbstractContextManager[World]:
    del options
    return shelf({"pdf"})


def work(contestant: str, world: World, folder: Path) -> None:
    read_shelf(contestant, world, folder)


def check(contestant: str, world: World, folder: Path) -> dict[str, int]:
    del contestant, world
    return check_shelf(folder)
