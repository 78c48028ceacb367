from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_network
from pathlib import Path

import hypothesis
import pytest

import veille
from veille.settings import FetchSettings
from world import Site

# No deadlines: a machine that is busy with something else is no bug.
hypothesis.settings.register_profile("veille", deadline=None)
hypothesis.settings.load_profile("veille")

#: As a stranger's machine would have it, but without a pause between requests to the loopback server.
FAST = FetchSettings(host_delay_ms=0, timeout_s=10, allow_networks=(ip_network("127.0.0.0/8"),))


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as running:
        yield running


@pytest.fixture
def app(tmp_path: Path) -> Iterator[veille.App]:
    with veille.open_app(data=tmp_path / "data", buffer_dir=tmp_path / "buffer", fetch=FAST) as opened:
        yield opened
