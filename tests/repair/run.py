"""A host that goes wrong in every way there is a rule for: `python tests/repair/run.py`; prints what came of it."""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from repair.campaign import main

    raise SystemExit(main())
