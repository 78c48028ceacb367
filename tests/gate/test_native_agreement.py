from __future__ import annotations

import json
import lzma
import os
import random
from itertools import islice
from pathlib import Path

import pytest

from twins import assert_twins_agree
from veille.core.extract.tree.compiled import COMPILED

DATA = Path(__file__).parents[3] / "shared" / "data" / "extraction"
#: `make eval` reads every page; elsewhere it is a share of each set, each time from another start.
ALL = os.environ.get("EVERY_PAGE")
SETS = {
    "wcxb-dev-sample.jsonl.xz": 15,
    "wcxb-dev-rest.jsonl.xz": 40,
    "readability-pages.jsonl.xz": 10,
    "news-fundus.jsonl.xz": 10,
    "segments.jsonl.xz": 40,
}


@pytest.mark.timeout(600)
@pytest.mark.skipif(not COMPILED and not os.environ.get("CI"), reason="nothing is compiled here")
@pytest.mark.parametrize("name", SETS)
def test_real_pages_are_read_the_same_by_both(name: str) -> None:
    assert COMPILED, "in CI there is a compiler, and what it built is used"
    if not (DATA / name).exists():
        if os.environ.get("CI") == "true":
            pytest.fail(f"{DATA / name} is missing: the gate cannot be passed without its pages")
        pytest.skip(f"{DATA / name} is missing")
    with lzma.open(DATA / name, "rt", encoding="utf8") as lines:
        every = 1 if ALL else SETS[name]
        for line in islice(lines, random.SystemRandom().randrange(every), None, every):
            page = json.loads(line)
            print(page["url"])
            assert_twins_agree(page["html"].encode("utf-8", "replace"), page["url"])
