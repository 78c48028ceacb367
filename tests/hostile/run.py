"""What a hostile tenant can do: `python tests/hostile/run.py`, with `--seconds`, `--seed`, `--kind` and `--short`."""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from hostile.campaign import main

    raise SystemExit(main())
