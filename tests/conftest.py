from __future__ import annotations

import errno
import sys
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import hypothesis
import pytest

import veille
from watching import FAST
from world import Site

# No deadlines: a machine that is busy with something else is no bug.
hypothesis.settings.register_profile("veille", deadline=None)
hypothesis.settings.load_profile("veille")


def _stay_on_loopback(event: str, arguments: tuple[Any, ...]) -> None:
    """No test reaches anything but this machine, whatever address it hands to the program."""
    if event != "socket.connect" or not isinstance(arguments[1], tuple):
        return
    if not ip_address(str(arguments[1][0]).partition("%")[0]).is_loopback:
        raise OSError(errno.ENETUNREACH, "tests stay on loopback")


sys.addaudithook(_stay_on_loopback)


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as running:
        yield running


@pytest.fixture
def app(tmp_path: Path) -> Iterator[veille.App]:
    with veille.open_app(data=tmp_path / "data", buffer_dir=tmp_path / "buffer", fetch=FAST) as opened:
        yield opened
