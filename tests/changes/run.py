"""Finding changes, in full: `python tests/changes/run.py --pages 300 --rounds 20 --seed 1`."""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from changes.campaign import main

    raise SystemExit(main())
