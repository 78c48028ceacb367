"""`python tests/bulk/run.py`: very many pages are read again, and killed; see `make scale`."""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from bulk.campaign import main

    raise SystemExit(main())
