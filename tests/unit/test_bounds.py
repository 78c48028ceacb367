"""The bounds of dependencies follow the rule of docs/release.md."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

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


def _newest(name: str) -> Version:
    return max(map(Version, _locked()[canonicalize_name(name)]))


def _after(tested: Version) -> Version:
    """The next version that may take something away: the next major one, before 1.0 the next minor one."""
    return Version(f"{tested.major + 1}" if tested.major else f"0.{tested.minor + 1}")


def test_what_is_locked_is_allowed() -> None:
    locked = _locked()
    outside = {
        str(one): locked.get(canonicalize_name(one.name))
        for one in REQUIRED
        if not any(one.specifier.contains(version) for version in locked.get(canonicalize_name(one.name), ()))
    }
    assert outside == {}


@pytest.mark.parametrize("required", REQUIRED, ids=str)
def test_every_dependency_has_a_lower_bound_and_an_upper_one_above_what_is_tested(required: Requirement) -> None:
    bounds = {one.operator: Version(one.version) for one in required.specifier}
    assert bounds.keys() in ({">=", "<"}, {"=="}), "which versions was it tested with?"
    usual = _after(_newest(required.name))
    if bounds.get("<") == usual:
        return
    assert "==" in bounds or bounds["<"] < usual, (
        f"{usual} was not tested: run `make lock`, or bound {required.name} by it"
    )
    lines = [line for line in PROJECT.splitlines() if re.search(rf'"{re.escape(required.name)}[\[=<>]', line)]
    said = [line for line in lines if "# " in line and len(line.partition("# ")[2]) > 20]
    assert said, f"{required} is bounded more narrowly than others, and nobody says why"
