"""The siege of a service, then the campaign of generated inputs: `make hostile`."""

from __future__ import annotations

import argparse
import random
import tempfile
from pathlib import Path

from hostile.fuzz import Fuzz
from hostile.inputs import INPUTS
from hostile.siege import LONG, SHORT, Siege


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1800, help="how long inputs are generated; 0: only the siege")
    parser.add_argument("--seed", type=int, default=None, help="repeat the inputs of an earlier run")
    parser.add_argument("--kind", action="append", choices=sorted(INPUTS), help="only these generators, and no siege")
    parser.add_argument("--short", action="store_true", help="the siege as `make test` does it")
    options = parser.parse_args(arguments)
    seed = options.seed if options.seed is not None else random.SystemRandom().getrandbits(32)
    breaches = 0
    with tempfile.TemporaryDirectory(prefix="veille-hostile-", ignore_cleanup_errors=True) as folder:
        if not options.kind:
            siege = Siege(SHORT if options.short else LONG, Path(folder) / "siege").run()
            breaches += len(siege.breaches)
            print(siege.text(), flush=True)
        if options.seconds:
            print(f"seed {seed}", flush=True)
            fuzz = Fuzz(Path(folder), seed).run(options.seconds, options.kind or sorted(INPUTS))
            breaches += len(fuzz.failures)
            print(fuzz.text())
    return 1 if breaches else 0
