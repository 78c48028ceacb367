"""Alerts, in full: `python tests/alerts/run.py --rounds 500 --kills 20 --seed 1`."""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from alerts.campaign import main

    raise SystemExit(main())
