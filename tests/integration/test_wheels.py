"""The packages that users install: with the compiled part and without, each in an environment of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

import pytest

import veille

ROOT = Path(__file__).parents[2]
#: Bytes of a wheel, and modules that `import veille` loads beside those of Python itself, with some room.
MOST_BYTES, MOST_MODULES = 3_000_000, 100
NUMBER = "1.2.3"

pytestmark = pytest.mark.timeout(240)


def _ran(*command: str | Path, **variables: str) -> str:
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
        env={**os.environ, **variables},
        cwd="/",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@dataclass(frozen=True)
class Installed:
    """A wheel in an environment of its own, which has everything else from the one that the tests run in."""

    wheel: Path
    folder: Path

    def __call__(self, *command: str) -> str:
        # No compiler is found, and nothing of this checkout.
        return _ran(self.folder / "bin" / command[0], *command[1:], PATH=str(self.folder / "bin"), PYTHONPATH="")


def _context(folder: Path) -> Path:
    """What .dockerignore lets through, which is all that a package is made from."""
    let_in = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    for name in let_in:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            left = shutil.ignore_patterns("__pycache__", "*.so", "*.egg-info", "version.txt")
            shutil.copytree(source, target, ignore=left)
        else:
            shutil.copy(source, target)
    return folder


def _installed(folder: Path, *, pure: bool) -> Installed:
    variables = {"BUILD_VERSION": f"v{NUMBER}", "BUILD_PURE": "1" if pure else ""}
    context = _context(folder / "context")
    build = ("--no-deps", "--no-build-isolation", "--quiet", "--wheel-dir", folder / "wheels", context)
    _ran(sys.executable, "-m", "pip", "wheel", *build, **variables)
    (wheel,) = (folder / "wheels").iterdir()
    _ran(sys.executable, "-m", "venv", "--without-pip", folder / "venv")
    python = folder / "venv" / "bin" / "python"
    # Only what else is installed here: a line with a folder does not read the lines of that folder, such as ours.
    (packages,) = (folder / "venv").glob("lib/python*/site-packages")
    (packages / "beside.pth").write_text(sysconfig.get_path("purelib") + "\n")
    _ran(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", "--quiet", wheel)
    return Installed(wheel, folder / "venv")


# One test for all of it: each would build and install the package again.
@pytest.mark.parametrize("pure", [False, True], ids=["compiled", "pure"])
def test_it_is_small_and_installed_without_a_compiler_and_the_demo_ends_well(tmp_path: Path, *, pure: bool) -> None:
    installed = _installed(tmp_path, pure=pure)
    assert installed.wheel.name.endswith("-py3-none-any.whl") == pure
    _assert_small(installed)
    said = installed(
        "python", "-c", "import veille; from veille.core.compiled import BUILT; print(veille.__file__, BUILT)"
    )
    assert str(installed.folder) in said
    assert said.split()[1] == str(not pure)
    assert installed("veille", "--version") == f"veille {NUMBER}\n"
    demo = installed("veille", "demo", "--no-serve", "--data", str(tmp_path / "data"))
    assert "The winter of the whales" in demo
    assert "no_sandbox" not in demo
    assert (tmp_path / "data" / "catalog.db").exists()


def _assert_small(installed: Installed) -> None:
    assert installed.wheel.stat().st_size < MOST_BYTES
    count = "import sys; before = len(sys.modules); import veille; print(len(sys.modules) - before)"
    assert int(installed("python", "-c", count)) < MOST_MODULES
    listed = _ran(sys.executable, "-m", "zipfile", "--list", installed.wheel)
    for part in ("stores/sqlite/schema/dossier/0001.sql", "stores/postgres/schema/0001/", "veille/py.typed"):
        assert part in listed
    assert (".so " in listed) != installed.wheel.name.endswith("-none-any.whl")
    assert "tests/" not in listed


def test_the_wheels_of_other_machines_are_configured() -> None:
    import tomllib  # noqa: PLC0415 - here only

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wheels = project["tool"]["cibuildwheel"]
    assert wheels["archs"] == ["x86_64", "aarch64"]
    told = {one.rpartition(" ")[2] for one in project["project"]["classifiers"] if "Python :: 3." in one}
    assert {one.removeprefix("cp3").removesuffix("-*") for one in wheels["build"]} == {
        one.removeprefix("3.") for one in told
    }
    assert veille.__version__
