"""`python tests/machines/run.py`: two machines with clocks apart ask the same hosts; see `make scale`."""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from machines.campaign import main

    raise SystemExit(main())
