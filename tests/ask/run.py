"""Asking, in full: `python tests/ask/run.py --questions 300 --seed 1`."""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from ask.campaign import main

    raise SystemExit(main())
