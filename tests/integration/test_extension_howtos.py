"""The pages about extensions are true: with their files, and no other edit, a copy of the project passes its checks."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from world import Page, Site

ROOT = Path(__file__).parents[2]
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs" / "howto").glob("add-*.md"))}
TEXT = "The old harbour bridge was closed after the flood and is being rebuilt by engineers from three countries."
#: Where the program is, and what it is checked with.
BIN = Path(sys.executable).parent
#: Slow ones that plant breaches; whether the copy itself keeps the layers is asked of lint-imports.
PLANTED = "breach or stray or layers"

pytestmark = pytest.mark.timeout(300)


def _files(page: str) -> dict[str, str]:
    """The files that a page prints, by their place."""
    return dict(re.findall(r"`((?:src|tests)/[\w/]+\.py)`:\n\n```python\n(.*?)```", PAGES[page], re.DOTALL))


def _blocks(page: str, language: str) -> str:
    return "".join(re.findall(rf"```{language}\n(.*?)```", PAGES[page], re.DOTALL))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the project with the files of all pages."""
    # With what mypy knows of the project: only the new files are checked then.
    ignored = shutil.ignore_patterns(".git", ".venv", "screenshots", ".hypothesis", ".[!m]*_cache", "build")
    folder = shutil.copytree(ROOT, tmp_path / "project", ignore=ignored)
    for page in PAGES:
        for place, text in _files(page).items():
            assert not (folder / place).exists()
            (folder / place).write_text(text, encoding="utf-8")
    return folder


def _run(project: Path, command: str, *arguments: str, given: str = "") -> str:
    places = {"PYTHONPATH": f"{project}/src:{project}/tests:{project}/docs", "PATH": f"{BIN}:{os.environ['PATH']}"}
    # Every process would compile the program anew without the last.
    environment = os.environ | places | {"PYTHONDONTWRITEBYTECODE": ""}
    done = subprocess.run(
        [command, *arguments], cwd=project, env=environment, input=given, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (command, arguments, done.stdout, done.stderr)
    return done.stdout


@pytest.mark.parametrize("page", PAGES)
def test_an_extension_is_one_short_file_and_its_tests(page: str) -> None:
    extension, tests = _files(page)
    assert (extension.partition("/")[0], tests.partition("/")[0]) == ("src", "tests")
    assert all(len(text.splitlines()) <= 45 for text in _files(page).values())


def test_the_project_passes_its_checks_with_the_extensions(project: Path) -> None:
    _run(project, "python", "docs/generate.py")
    added = [place for page in PAGES for place in _files(page)]
    for command in ("ruff check", "ruff format --check", f"mypy {' '.join(added)}", "lint-imports"):
        _run(project, *command.split())
    printed = [place for place in added if place.startswith("tests")]
    chosen = ["-k", f"not ({PLANTED})", "tests/test_architecture.py", *printed]
    _run(project, "pytest", "-n", "0", "-p", "no:randomly", *chosen)
    pages = {"add-a-kind": "kinds", "add-a-sink": "sinks", "add-a-repair": "repairs", "add-an-embedder": "embedders"}
    pages |= {"add-a-channel": "channels", "add-a-model": "models"}
    pages |= {"add-an-extractor": "rooms", "add-a-format": "rooms", "add-a-condition": "rules"}
    for page, reference in pages.items():
        name = Path(next(iter(_files(page)))).stem
        assert name in (project / "docs" / "reference" / f"{reference}.md").read_text()


#: Types lines into the copy's program, all in one process: starting one for each takes longer than they do.
TYPIST = """
import json, sys
from command import run_here, start_veille
for environment, words in json.load(sys.stdin):
    print(json.dumps(run_here(start_veille, words, environment)))
"""


def _typed(project: Path, page: str, site: Site) -> list[tuple[list[str], dict[str, str]]]:
    """What a page has people type, with the settings it tells of."""
    settings = project / f"{page}.toml"
    settings.write_text(_blocks(page, "toml").replace("/var/lib", str(project)))
    variables = {
        "VEILLE_CONFIG": str(settings),
        "VEILLE_DATA": str(project / page),
        "VEILLE_FETCH__HOST_DELAY_MS": "0",
        "VEILLE_FETCH__ALLOW_NETWORKS": '["127.0.0.0/8"]',
    }
    lines = _blocks(page, "console").replace("$ ", "").replace("https://example.org", site.url).splitlines()
    return [(shlex.split(line), variables) for line in lines]


def test_the_program_uses_the_extensions_as_their_pages_say(project: Path, site: Site) -> None:
    site["/list.txt"] = Page(b"// fruit\napples\npears\n\nplums\n", type="text/plain")
    site["/page"] = f"<title>T</title><main><p>{'Around it. ' * 9}</main><div itemprop=articleBody><p>{TEXT}</div>"
    site["/film.srt"] = Page(b"1\n00:00:01,000 --> 00:00:02,500\nThe bridge is open.\n", type="application/x-subrip")
    site["/blocked"] = Page(b"No", status=451, validates=False)
    typed = [(page, *line) for page in PAGES for line in _typed(project, page, site)]
    given = json.dumps([(variables, words) for _, words, variables in typed])
    answers = map(json.loads, _run(project, "python", "-c", TYPIST, given=given).splitlines())
    printed = {}
    for (page, words, _), (status, out, errors) in zip(typed, answers, strict=True):
        # Status 1: some checks failed.
        assert status == int(page == "add-a-repair" and words[1] == "run"), (words, status, out, errors)
        printed[page] = out
    assert "pears" in printed["add-a-kind"]
    assert "audit" in printed["add-a-sink"]
    assert [path.suffix for path in (project / "audit").rglob("*.*")] == [".json"]
    assert "blocked" in printed["add-a-repair"]
    assert "«harbour»" in printed["add-an-extractor"]
    assert "The «bridge» is open." in printed["add-a-format"]
    assert "chroma" in printed["add-an-embedder"]
    peek = "import chromadb; [one] = chromadb.PersistentClient('chroma').list_collections(); print(one.metadata)"
    assert "words:64" in _run(project, "python", "-c", peek)
