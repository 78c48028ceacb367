"""Version swaps, in full: `python tests/swaps/run.py --pages 300 --seeds 3`."""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from swaps.campaign import main

    raise SystemExit(main())
