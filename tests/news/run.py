"""News at scale, in full: `python tests/news/run.py --articles 5000 --kills 3`."""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from news.campaign import main

    raise SystemExit(main())
