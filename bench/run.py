"""Side by side with peers, in one run: `run.py [NAME ...]` runs all cases or these, and prints the ratios.

Rounds are interleaved and the best of each contestant counts, so that a busy machine slows all of them alike.
"""

from __future__ import annotations

import argparse
import compileall
import json
import sys
import sysconfig
import tempfile
from dataclasses import asdict
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

import measure
from measure import BenchError, Case, Cost

Row = dict[str, Any]

#: Ours, and all packages: where Python may not write bytecode, each process would compile them anew. Pip writes it when
#: it installs, other installers do not.
_SOURCES = (Path(__file__).resolve().parent.parent / "src", Path(sysconfig.get_path("purelib")))


def bench(name: str, options: argparse.Namespace) -> list[Row]:
    """The rows of one case's table, one per contestant, ours first."""
    case = measure.load(name)
    costs: dict[str, list[Cost]] = {contestant: [] for contestant in case.CONTESTANTS}
    with case.world(options) as world:
        for turn in range(options.rounds):
            for contestant in case.CONTESTANTS:
                print(f"{name}: round {turn + 1} of {options.rounds}, {contestant} ...", file=sys.stderr, flush=True)
                with tempfile.TemporaryDirectory(prefix="veille-bench-") as folder:
                    costs[contestant].append(measure.run(name, contestant, world, Path(folder)))
        return _rows(name, case, int(world["count"]), costs)


def _rows(name: str, case: Case, count: int, costs: dict[str, list[Cost]]) -> list[Row]:
    best = {contestant: min(rounds, key=lambda cost: cost.cpu_s) for contestant, rounds in costs.items()}
    ours = best[case.CONTESTANTS[0]]
    return [
        {
            "case": name,
            "contestant": contestant,
            "unit": case.UNIT,
            "count": count,
            "per_cpu_s": count / cost.cpu_s,
            **asdict(cost),
            #: How many times as much we do with the same CPU, and which share of the memory we take for it.
            "ratio": cost.cpu_s / ours.cpu_s,
            "memory_ratio": ours.peak_mb / cost.peak_mb,
        }
        for contestant, cost in best.items()
    ]


def _print_table(rows: list[Row]) -> None:
    width = max(len(row["contestant"]) for row in rows)
    first = rows[0]
    print(f"\n{first['case']}: {first['count']:,} {first['unit']}")
    unit = f"{first['unit']}/CPU-s"
    print(f"{'':{width}}  {unit:>16}  {'CPU s':>8}  {'peak MB':>8}  {'veille is':>10}  {'memory':>7}")
    for row in rows:
        ratio = "" if row is first else f"{row['ratio']:.2f}×"
        memory = "" if row is first else f"{row['memory_ratio']:.2f}×"
        print(
            f"{row['contestant']:{width}}  {row['per_cpu_s']:16,.1f}  {row['cpu_s']:8.2f}  {row['peak_mb']:8.0f}  "
            f"{ratio:>10}  {memory:>7}"
        )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/run.py", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"cases to run, all without any: {measure.names()}")
    parser.add_argument("--rounds", type=int, default=3, help="times each contestant runs; the best counts")
    parser.add_argument("--pages", type=int, default=1000, help="size of the generated site")
    parser.add_argument("--seed", type=int, default=1, help="another seed, another site")
    parser.add_argument("--json", action="store_true", help="the rows as JSON on stdout")
    options = parser.parse_args()
    if unknown := set(options.names) - set(measure.names()):
        parser.error(f"no such case: {', '.join(sorted(unknown))}; known: {', '.join(measure.names())}")
    if options.rounds < 1 or options.pages < 1:
        parser.error("--rounds and --pages are at least 1")
    return options


def main() -> int:
    options = _options()
    for sources in _SOURCES:
        # Some packages have files of other Pythons, which are not compiled.
        compileall.compile_dir(str(sources), quiet=2)
    measure.adopt_orphans()
    rows: list[Row] = []
    try:
        for name in options.names or measure.names():
            case = import_module(f"case_{name}")
            if not getattr(case, "available", lambda: True)():
                print(f"{name}: left out, what it needs is not here", file=sys.stderr)
                continue
            if hasattr(case, "main"):
                # A case that measures in its own way, and prints its own table; `over` has what is not as asked for.
                seed = {"seed": options.seed} if "seed" in signature(case.main).parameters else {}
                rows.append({"case": name, **case.main(**seed)})
                continue
            table = bench(name, options)
            rows += table
            if not options.json:
                _print_table(table)
    except BenchError as error:
        print(error, file=sys.stderr)
        return 1
    if options.json:
        print(json.dumps(rows, indent=2))
    return measure.status_of(rows)


if __name__ == "__main__":
    sys.exit(main())
