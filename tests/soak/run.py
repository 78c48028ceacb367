"""The soak: `python tests/soak/run.py`, or with `--short` as `make test` does it."""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from soak.campaign import main

    raise SystemExit(main())
