"""The crawl of a site full of traps, in full: `python tests/crawl/run.py --pages 5000 --kills 10`."""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from crawl.campaign import main

    raise SystemExit(main())
