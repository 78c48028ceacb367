"""The unit tests on every Python that is found (3.11 to 3.14), each with the newest allowed versions: `make matrix`.

    python tests/packages/matrix.py 3.12      one of them; `--tests tests/unit/test_urls.py` fewer tests

Needs a registry, some minutes and 3 GB for each. What runs is built for that Python and installed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
UV = str(Path(sys.executable).with_name("uv"))


def tried(python: str, tests: list[str]) -> str:
    """Install the program and what its tests need, and run them; the last line that they say."""
    with tempfile.TemporaryDirectory(prefix="veille-matrix-") as folder:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        inside = str(Path(folder, "venv", "bin", "python"))
        subprocess.run([UV, "venv", "--quiet", "--python", python, str(Path(folder, "venv"))], check=True)
        install = [UV, "pip", "install", "--quiet", "--python", inside, ".[dev]"]
        subprocess.run(install, check=True, cwd=ROOT, env=environment)
        command = [inside, "-m", "pytest", "-n", str(os.cpu_count() or 2), *tests]
        done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=False)
        print(done.stdout, flush=True)
        return done.stdout.strip().splitlines()[-1] if done.returncode else "passed"


def main() -> None:
    from packages.interpreters import NUMBERS, pythons  # noqa: PLC0415 - found as a program only

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("versions", nargs="*", default=NUMBERS)
    parser.add_argument("--tests", nargs="+", default=["tests/unit"])
    asked = parser.parse_args()
    found = {version: python for version, python in pythons().items() if version in asked.versions}
    results = {version: tried(python, asked.tests) for version, python in found.items()}
    for version in asked.versions:
        print(f"Python {version}: {results.get(version, 'not found')}")
    sys.exit(any(result != "passed" for result in results.values()))


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "tests"))
    main()
