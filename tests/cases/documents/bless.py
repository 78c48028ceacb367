"""Write `expected.json` of the cases named on the command line: `python tests/cases/documents/bless.py report-docx …`.

Read the difference before committing it: the expectation is what a person found right.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from documents import CASES, kept

for case in sys.argv[1:]:
    text = json.dumps(kept(case), ensure_ascii=False, indent=1) + "\n"
    (CASES / case / "expected.json").write_text(text, encoding="utf-8")
