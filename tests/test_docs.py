from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import generate
from shapes import commands
from veille.interfaces.cli.manual import catalogue
from veille.interfaces.cli.manual.roff import man_page

DOCS = Path(generate.__file__).parent
PAGES = [DOCS.parent / "README.md", *sorted(DOCS.rglob("*.md"))]
_BLOCK = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


def test_the_reference_is_what_the_code_says() -> None:
    made = generate.pages()
    written = {name: (DOCS / "reference" / name).read_text(encoding="utf-8") for name in made}
    assert [name for name in made if written[name] != made[name]] == [], "run `make docs`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_the_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} points to {target}"


def test_commands_in_sentences_exist_with_their_options() -> None:
    known, wrong = commands(), []
    for page in PAGES:
        for text in re.findall(r"`((?:veille|meri) [a-z][^`]*)`", _BLOCK.sub("", page.read_text(encoding="utf-8"))):
            _, *words = shlex.split(text.partition(" | ")[0])
            names = [" ".join(["veille", *words[:end]]) for end in range(len(words), 0, -1)]
            name = next((name for name in names if name in known), "")
            options = {"--help"} | {option for spelled in known.get(name, ()) for option in spelled.split()}
            given = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)}
            if not name or given - options:
                wrong.append((page.name, text))
    assert wrong == []


def test_commands_in_blocks_stand_after_a_dollar_sign() -> None:
    """Only those are run by `tests/e2e/test_documented_commands_run.py`."""
    known = commands()
    blocks = [(page.name, block) for page in PAGES for block in _BLOCK.findall(page.read_text(encoding="utf-8"))]
    begun = [
        (page, line) for page, block in blocks for line in re.findall(r"^(?:veille|meri) \w+", block, re.MULTILINE)
    ]
    assert [(page, line) for page, line in begun if line.replace("meri", "veille") in known] == []


def test_the_changelog_has_every_release_with_one_list_of_each_kind() -> None:
    text = (DOCS.parent / "CHANGELOG.md").read_text(encoding="utf-8")
    head, *releases = re.split(r"^## ", text, flags=re.MULTILINE)
    assert "###" not in head
    titles = [one.partition("\n")[0] for one in releases]
    assert titles[0] == "Unreleased"
    numbers = [re.fullmatch(r"(\d+\.\d+\.\d+) \(20\d\d-\d\d-\d\d\)", one) for one in titles[1:]]
    named = [tuple(map(int, one[1].split("."))) for one in numbers if one]
    assert len(named) == len(numbers), titles
    assert named == sorted(set(named), reverse=True)
    # Each has its data folder, by which upgrades are tested; folders of drafts (1.0.0rc1) have no section.
    folders = [path.stem for path in (DOCS.parent / "tests" / "upgrades").glob("*.json")]
    assert {".".join(map(str, one)) for one in named} == {one for one in folders if one.replace(".", "").isdigit()}
    for one in releases:
        kinds = re.findall(r"^### (.*)", one, re.MULTILINE)
        assert len(kinds) == len(set(kinds)), "one list of each kind"
        assert set(kinds) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_every_extra_for_users_is_described_where_installing_is() -> None:
    text = (DOCS / "howto" / "install.md").read_text(encoding="utf-8")
    described = re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    assert described == [*sorted(extras.keys() - {"all", "bench", "dev", "train"}), "all"]
    assert sorted(Requirement(extras["all"][0]).extras) == described[:-1]


def test_the_readme_fits_one_screen_and_names_two_make_commands() -> None:
    lines = (DOCS.parent / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 45
    assert re.findall(r"^\$ (make \w+)", "\n".join(lines), re.MULTILINE) == ["make run", "make test"]


def test_the_list_of_commands_is_what_the_commands_say() -> None:
    assert catalogue.FILE.read_text(encoding="utf-8") == generate.commands_text(), "run `make docs`"
    assert generate.MAN.read_text(encoding="utf-8") == man_page(catalogue.load()), "run `make docs`"
