"""Runs every fault and writes what it came to: `python tests/faults/table.py > docs/reference/faults.md`."""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent.parent))

from faults.expected import CASES
from faults.probe import MAX_BYTES, MAX_MEMORY_MB, TIMEOUT_S, Probe

_INTRO = f"""# Faults and their outcomes

What becomes of an answer that is not as it should be. Written by `python tests/faults/table.py` from a run in which one
address had {TIMEOUT_S} s and {MAX_BYTES // 1024 // 1024} MB. Every fault must end within its time + 1 s and
{MAX_MEMORY_MB} MB; `make test` holds them to it. The codes are explained in `outcomes.md`. An error never touches
stored content or validators.


| fault | what the server does | outcome | seconds | MB |
|---|---|---|---:|---:|"""


def rows_of(text: str) -> list[list[str]]:
    """The cells of the table in a page."""
    lines = [line for line in text.splitlines() if line.startswith("| `")]
    return [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in lines]


def main() -> None:
    print(_INTRO)
    with Probe() as probe:
        for case in CASES:
            seen = probe.run(case)
            print(
                f"| `{case.label}` | {case.what} | `{seen.code}` | {seen.seconds:.1f} | {max(seen.megabytes, 0):.0f} |"
            )


if __name__ == "__main__":
    main()
