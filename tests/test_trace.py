from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def _trace(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(folder / "tests" / "trace.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    """The list of requirements with a single test, `test_it`, that the test writes."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "tests").mkdir()
    shutil.copy(ROOT / "docs" / "requirements.md", tmp_path / "docs")
    shutil.copy(ROOT / "tests" / "trace.py", tmp_path / "tests")
    return tmp_path


def _mark(folder: Path, *requirements: str) -> None:
    names = ", ".join(map(repr, requirements))
    (folder / "tests" / "test_it.py").write_text(f"@pytest.mark.covers({names})\ndef test_it():\n    pass\n")


def test_every_requirement_of_the_engine_has_a_test() -> None:
    done = _trace(ROOT, "--issue", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    listed = re.findall(r"^(R-\d{3}) ", done.stdout, re.MULTILINE)
    assert [listed[0], listed[-1], len(listed)] == ["R-001", "R-233", 22]


def test_every_requirement_of_the_service_has_a_test() -> None:
    done = _trace(ROOT, "--issue", "7")
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_marker_names_a_requirement_that_does_not_exist() -> None:
    done = _trace(ROOT)
    assert done.returncode == 0, done.stderr


def test_the_list_of_requirements_is_whole() -> None:
    numbers = re.findall(r"^- R-(\d{3}) .+ \[[^\]]+\]$", (ROOT / "docs" / "requirements.md").read_text(), re.MULTILINE)
    assert [int(number) for number in numbers] == list(range(1, 248))


def test_the_report_names_the_tests_and_what_has_none(planted: Path) -> None:
    _mark(planted, "R-001", "R-003")
    done = _trace(planted)
    assert done.returncode == 0
    assert re.search(r"^R-003 .*\n      test_it.py::test_it$", done.stdout, re.MULTILINE)
    assert "2 of 247 requirements have tests; without any: R-002 R-004" in done.stdout


def test_an_unknown_requirement_fails_the_report(planted: Path) -> None:
    _mark(planted, "R-001", "R-999")
    done = _trace(planted)
    assert done.returncode == 1
    assert "No such requirement: R-999" in done.stderr


def test_an_issue_with_a_requirement_nobody_tests_fails_the_report(planted: Path) -> None:
    _mark(planted, "R-001")
    done = _trace(planted, "--issue", "2")
    assert done.returncode == 1
    assert "1 of 22 requirements have tests; without any: R-002 R-003" in done.stdout
