from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from watching import Watch
from world import Site


@pytest.fixture
def watch(site: Site, tmp_path: Path) -> Iterator[Watch]:
    with Watch(site, tmp_path) as opened:
        yield opened
