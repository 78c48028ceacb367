"""What we depend on may be used: its licences, and how they are told apart."""

from __future__ import annotations

from email.message import Message
from importlib.metadata import Distribution
from pathlib import Path
from typing import Any

import pytest

import audit


class Claimed(Distribution):
    """A package that says this of its licence."""

    def __init__(self, said: str) -> None:
        self._about: Any = Message()
        self._about["Name"], self._about["License-Expression"] = "some", said

    @property
    def metadata(self) -> Any:
        return self._about

    def read_text(self, filename: str) -> str | None:
        raise NotImplementedError

    def locate_file(self, path: Any) -> Path:
        raise NotImplementedError


@pytest.mark.parametrize(
    ("said", "is_fine"),
    [
        ("MIT", True),
        ("Apache-2.0 OR BSD-3-Clause", True),
        ("LGPL-3.0-only", True),
        ("GNU Lesser General Public License v3 (LGPLv3)", True),
        ("MIT OR GPL-2.0", True),
        ("GPL-3.0-or-later", False),
        ("GNU General Public License v2 (GPLv2)", False),
        ("AGPL-3.0", False),
        ("GNU Affero General Public License v3", False),
        ("Proprietary", False),
        ("", False),
    ],
)
def test_licences_are_told_apart(said: str, *, is_fine: bool) -> None:
    assert (not list(audit.unfit({"some": Claimed(said)}))) == is_fine


def test_everything_we_depend_on_may_be_used() -> None:
    packages = audit.dependencies()
    assert {"aiohttp", "apsw", "pydantic", "onnxruntime"} <= packages.keys()
    assert dict(audit.unfit(packages)) == {}
