"""The oldest versions that pyproject.toml allows, in an environment of their own: does the program work with them?

    python tests/packages/lowest.py            `make lowest`; needs a registry, a few minutes and 2 GB

Everything that users install (the extra `all`) in its oldest allowed version, what the tests need in the newest. Then
the demo and a part of the tests: what is read and written, both stores, the pages. A bound that is too low fails here.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
UV = Path(sys.executable).with_name("uv")
#: Of every part something, in a few minutes.
TESTS = (
    *("tests/unit", "tests/e2e/test_add.py", "tests/e2e/test_cli.py", "tests/contract/test_writer.py"),
    *("tests/contract/test_fetcher.py", "tests/contract/test_account_records.py", "tests/integration/test_flow.py"),
    *(
        "tests/integration/test_table_sinks.py",
        "tests/integration/test_channels.py",
        "tests/integration/test_chroma.py",
    ),
    *("tests/integration/test_ocr.py", "tests/integration/test_pictures.py", "tests/integration/test_documents.py"),
    *("tests/web/test_every_route.py", "tests/web/test_content.py", "tests/warc", "tests/e2e/test_agents.py"),
)
#: They compare with what is installed beside them, or with a tool's own words.
_NOT = "not licences and not reference"


def _run(*command: str | Path) -> None:
    print("$", *command, flush=True)
    subprocess.run(command, cwd=ROOT, check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tests", nargs="*", default=TESTS)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="veille-lowest-") as folder:
        oldest, python = Path(folder, "oldest.txt"), Path(folder, "venv", "bin", "python")
        _run(sys.executable, "-m", "venv", Path(folder, "venv"))
        options = ("--quiet", "--resolution", "lowest-direct", "--extra", "all", "--no-annotate", "--no-header")
        _run(UV, "pip", "compile", "pyproject.toml", *options, "--python", sys.executable, "-o", oldest)
        install = (UV, "pip", "install", "--quiet", "--python", python)
        _run(*install, "-r", oldest)
        _run(*install, "--constraint", oldest, "-e", ".[dev]")
        demo = subprocess.run(
            [python, "-m", "veille", "demo", "--no-serve"], cwd=folder, check=True, stdout=subprocess.PIPE
        )
        assert b"The winter of the whales" in demo.stdout, demo.stdout.decode()
        workers = str(os.cpu_count() or 2)
        _run(python, "-m", "pytest", "-n", workers, "-k", _NOT, *asked.tests)


if __name__ == "__main__":
    main()
