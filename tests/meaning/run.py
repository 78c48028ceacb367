"""Pieces and vectors under kills, in full: `python tests/meaning/run.py --kills 200 --seed 1`."""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from meaning.campaign import main

    raise SystemExit(main())
