"""What the client's side of a check costs on PostgreSQL, beside SQLite: the CPU of `case_checks.py` on both, in turn.

`case_stores.py [PAGES] [ROUNDS]` starts a server of its own. Measured twice: with pages whose words are all different,
as `case_checks.py` has them, and with pages whose words are as frequent as in a language. The best round counts.
Ends with status 1 if a check costs the client more than is asked for.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent / "tests")]

import case_checks  # noqa: E402 - it is beside this file
import measure  # noqa: E402
from postgres_server import PostgresServer  # noqa: E402 - it is beside the tests

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGES, ROUNDS, VOCABULARY = 1_000, 2, 60_000
#: Of the client, at most so many times the CPU of SQLite.
ASKED = 1.3


def main(pages: int = PAGES, rounds: int = ROUNDS) -> dict[str, Any]:
    case_checks.PAGES = pages
    found = {"different words": _compared(rounds)}
    with _like_a_language():
        found["words of a language"] = _compared(rounds)
    over = []
    for name, costs in found.items():
        print(f"\n{pages:,} pages, {name}: ms of CPU a check, SQLite and the client of PostgreSQL")
        for what, (here, there) in costs.items():
            ratio = there / here
            print(f"{what:>12}  {here:7.3f}  {there:7.3f}  {ratio:5.2f}  {'ok' if ratio <= ASKED else 'OVER'}")
            if ratio > ASKED:
                over.append(f"{what}, {name}: {ratio:.2f} times SQLite, at most {ASKED} are asked for")
    return {**found, "over": over}


def _compared(rounds: int) -> dict[str, tuple[float, float]]:
    best: list[dict[str, float]] = [{}, {}]
    with PostgresServer() as server:
        for _ in range(rounds):
            # In turn, so that both have the same machine.
            for costs, url in zip(best, ("", server.url(server.database(server.ready))), strict=True):
                for what, cost in _costs(url).items():
                    costs[what] = min(costs.get(what, cost * 1000), cost * 1000)
    return {what: (best[0][what], best[1][what]) for what in best[0]}


def _costs(url: str) -> dict[str, float]:
    os.environ.pop("VEILLE_STORE", None)
    if url:
        os.environ["VEILLE_STORE"] = url
    try:
        with tempfile.TemporaryDirectory(prefix="veille-stores-") as folder:
            return case_checks.costs_of(Path(folder))
    finally:
        os.environ.pop("VEILLE_STORE", None)


@contextmanager
def _like_a_language() -> Iterator[None]:
    """Pages of words of which few are frequent and most are rare."""
    before = case_checks.sentence
    case_checks.sentence = _sentence
    case_checks.page.cache_clear()
    try:
        yield
    finally:
        case_checks.sentence = before
        case_checks.page.cache_clear()


def _sentence(draw: Random, words: int) -> str:
    known, shares = _vocabulary()
    return " ".join(draw.choices(known, cum_weights=shares, k=words)) + "."


@cache
def _vocabulary() -> tuple[list[str], list[float]]:
    draw, shares, total = Random(1), [], 0.0
    known = ["".join(draw.choices("abcdefghilmnoprstuv", k=draw.randint(2, 9))) for _ in range(VOCABULARY)]
    for place in range(VOCABULARY):
        total += 1 / (place + 1)
        shares.append(total)
    return known, shares


if __name__ == "__main__":
    told = main(*map(int, sys.argv[1:]))
    print(json.dumps(told))
    sys.exit(measure.status_of([told]))
