"""The packages that users install: with the compiled part and without, each in an environment of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from email import message_from_bytes
from importlib.metadata import Distribution, distribution
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

import pytest
from packaging.requirements import Requirement

import veille

ROOT = Path(__file__).parents[2]
#: Bytes of a wheel, and modules that `import veille` loads beside those of Python itself, with some room.
MOST_BYTES, MOST_MODULES = 3_000_000, 100
#: CPU of `import veille`, and of what opens a data folder, as times that of Python itself in the same run.
MOST_IMPORT, MOST_OPEN = 8, 150
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
    """A wheel in an environment of its own, with what it requires from the one that the tests run in."""

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
    (packages,) = (folder / "venv").glob("lib/python*/site-packages")
    for name in _required(wheel):
        _link(distribution(name), packages)
    _ran(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", "--quiet", wheel)
    return Installed(wheel, folder / "venv")


def _required(wheel: Path) -> set[str]:
    """The packages that pip would install with the wheel, without extras, and what these require."""
    with zipfile.ZipFile(wheel) as packed:
        (name,) = (name for name in packed.namelist() if name.endswith(".dist-info/METADATA"))
        said = message_from_bytes(packed.read(name)).get_all("Requires-Dist", [])
    waiting = [(Requirement(one), "") for one in said]
    found: set[str] = set()
    seen: set[tuple[str, str]] = set()
    while waiting:
        required, extra = waiting.pop()
        if required.marker and not required.marker.evaluate({"extra": extra}):
            continue
        found.add(required.name)
        for more in {"", *required.extras}:
            if (required.name, more) not in seen:
                seen.add((required.name, more))
                waiting += [(Requirement(one), more) for one in distribution(required.name).requires or ()]
    return found


def _link(package: Distribution, packages: Path) -> None:
    """Every file of a package that is installed here; of folders that packages share, too."""
    for file in package.files or ():
        target = packages / file
        if ".." not in file.parts and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(file.locate())


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


def _cpu_s(installed: Installed, code: str) -> float:
    """CPU of a program of one line, at its best of three."""
    took = []
    for _ in range(3):
        before = getrusage(RUSAGE_CHILDREN)
        installed("python", "-c", code)
        after = getrusage(RUSAGE_CHILDREN)
        took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(took)


def _assert_small(installed: Installed) -> None:
    assert installed.wheel.stat().st_size < MOST_BYTES
    count = "import sys; before = len(sys.modules); import veille; print(len(sys.modules) - before)"
    assert int(installed("python", "-c", count)) < MOST_MODULES
    python_s = _cpu_s(installed, "pass")
    assert _cpu_s(installed, "import veille") < MOST_IMPORT * python_s
    assert _cpu_s(installed, "import veille; veille.open") < MOST_OPEN * python_s
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
