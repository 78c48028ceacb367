"""The crash test in full: `python tests/crash/run.py --kills 200`. `make test` runs a short form of it."""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from crash.campaign import main

    raise SystemExit(main())
