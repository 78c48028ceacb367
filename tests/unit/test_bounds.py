"""The bounds of dependencies follow the rule of docs/release.md."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
TABLE = tomllib.loads(PROJECT)["project"]
#: What the image is made of.
IMAGE = [*TABLE["dependencies"], *(one for name, extra in TABLE["optional-dependencies"].items() for one in extra
         if name not in {"dev", "train", "bench"})]  # fmt: skip
REQUIRED = [Requirement(one) for one in IMAGE if not one.startswith("veille[")]


def _locked() -> dict[str, list[str]]:
    """The locked versions of each package; there may be several, for different machines."""
    found: dict[str, list[str]] = {}
    for line in (ROOT / "deploy" / "requirements.lock").read_text(encoding="utf-8").splitlines():
        if match := re.match(r"([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([^\s;]+)", line):
            found.setdefault(canonicalize_name(match[1]), []).append(match[2])
    return found


def test_what_is_locked_is_allowed() -> None:
    locked = _locked()
    outside = {
        str(one): locked.get(canonicalize_name(one.name))
        for one in REQUIRED
        if one.name != "ray"
        and not any(one.specifier.contains(version) for version in locked.get(canonicalize_name(one.name), ()))
    }
    assert outside == {}


@pytest.mark.parametrize("required", REQUIRED, ids=str)
def test_every_dependency_has_a_lower_bound_and_a_reason_for_an_upper_one(required: Requirement) -> None:
    signs = {one.operator for one in required.specifier}
    assert signs & {">=", "=="}, "which version was it tested with?"
    if signs & {"<", "<=", "~=", "=="}:
        lines = [line for line in PROJECT.splitlines() if re.search(rf'"{re.escape(required.name)}[\[=<>]', line)]
        said = [line for line in lines if "# " in line and len(line.partition("# ")[2]) > 20]
        assert said, f"{required} is bounded above, and nobody says why"
