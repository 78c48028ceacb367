"""The number of a build: from tags, from a source distribution, from whoever builds it; never a failure."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
from pathlib import Path

import pytest
from packaging.version import Version

import veille

SETUP = Path(__file__).parents[2] / "setup.py"


def _number(folder: Path) -> str:
    return str(runpy.run_path(str(folder / "setup.py"))["version"]())


def _git(folder: Path, *words: str) -> str:
    options = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(["git", *options, *words], cwd=folder, env=clean, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("BUILD_VERSION", raising=False)
    shutil.copy(SETUP, tmp_path)
    return tmp_path


def test_a_checkout_has_the_number_of_its_tag_and_of_the_commits_since(folder: Path) -> None:
    _git(folder, "init", "-q")
    assert _number(folder) == "0.1.dev0", "nothing is committed yet"
    _git(folder, "commit", "-q", "--allow-empty", "-m", "one")
    assert _number(folder) == "0.1.dev0", "nothing was released yet"
    _git(folder, "tag", "v1.0.0rc1")
    assert _number(folder) == "1.0.0rc1"
    _git(folder, "commit", "-q", "--allow-empty", "-m", "two")
    assert _number(folder).startswith("1.0.0.dev1+g"), "after the candidate comes the release"
    _git(folder, "tag", "v1.0.0")
    assert _number(folder) == "1.0.0"
    _git(folder, "tag", "latest")
    _git(folder, "commit", "-q", "--allow-empty", "-m", "three")
    assert _number(folder).startswith("1.0.1.dev1+g")


def test_a_clone_without_tags_has_the_number_of_the_changelog_and_of_the_commits_since(folder: Path) -> None:
    _git(folder, "init", "-q")
    numbers = []

    def committed(text: str) -> Version:
        (folder / "CHANGELOG.md").write_text(f"# Changelog\n\n## Unreleased\n\n{text}")
        _git(folder, "add", "CHANGELOG.md")
        _git(folder, "commit", "-q", "--allow-empty", "-m", "more")
        numbers.append(_number(folder))
        assert numbers[-1].endswith(f"g{_git(folder, 'rev-parse', '--short', 'HEAD')}")
        return Version(numbers[-1])

    first, second = "## 1.0.0 (2026-11-19)\n\n- All.\n", "## 1.1.0 (2026-12-01)\n\n- More.\n\n"
    candidate = committed("## 1.0.0rc1 (2026-11-01)\n\n- Some.\n")
    released, later, last = committed(first), committed(f"- A thing.\n\n{first}"), committed(f"{second}{first}")
    assert candidate < Version("1.0.0") <= released < later < Version("1.1.0") <= last
    assert [one.partition("+")[0] for one in numbers] == ["1.0.0rc1", "1.0.0", "1.0.1.dev1", "1.1.0"]
    clone = folder / "clone"
    _git(folder, "clone", "-q", "--depth", "1", f"file://{folder}", str(clone))
    shutil.copy(SETUP, clone)
    assert last < Version(_number(clone)) < Version("1.1.1"), "without its history it does not claim to be the release"
    assert _number(clone).startswith("1.1.1.dev0+g")
    _git(folder, "tag", "v1.1.0")
    _git(folder, "clone", "-q", "--depth", "1", "--branch", "v1.1.0", f"file://{folder}", str(folder / "release"))
    shutil.copy(SETUP, folder / "release")
    assert _number(folder / "release") == "1.1.0"


def test_what_has_no_git_says_so_or_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _number(folder) == "0.1.dev0"
    (folder / "CHANGELOG.md").write_text("# Changelog\n\n## 1.2.0 (2026-11-19)\n")
    assert _number(folder) == "1.2.0+copy"
    (folder / "PKG-INFO").write_text("Metadata-Version: 2.4\nName: veille\nVersion: 1.2.3\n\nVersion: of the text\n")
    assert _number(folder) == "1.2.3"
    (folder / "CHANGELOG.md").write_text(
        "# Changelog\n\n## Unreleased\n\n## 1.3.0 (2026-12-01)\n\n## 1.2.0 (2026-11-19)\n"
    )
    for told, number in {
        "abcdef1": "1.3.0+gabcdef1",
        "v1.4.0": "1.4.0",
        "2.0": "2.0",
        "v1.4.0-3-gabcdef1": "1.4.1.dev3+gabcdef1",
        "20261119": "20261119",
        "1234567e": "1.3.0+g1234567e",
    }.items():
        monkeypatch.setenv("BUILD_VERSION", told)
        assert _number(folder) == number


def test_a_folder_in_somebody_elses_repository_does_not_take_their_number(folder: Path) -> None:
    _git(folder, "init", "-q")
    _git(folder, "commit", "-q", "--allow-empty", "-m", "theirs")
    _git(folder, "tag", "v9.9")
    (folder / "vendored").mkdir()
    shutil.copy(SETUP, folder / "vendored")
    assert _number(folder / "vendored") == "0.1.dev0"


def test_the_program_says_the_number_of_its_build() -> None:
    written = Path(veille.__file__).with_name("version.txt")
    assert veille.__version__ == (written.read_text().strip() if written.exists() else "0+unbuilt")
