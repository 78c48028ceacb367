from __future__ import annotations

import re
from pathlib import Path

import pytest

import generate
from veille.interfaces.cli.manual import catalogue
from veille.interfaces.cli.manual.roff import man_page

DOCS = Path(generate.__file__).parent


def test_the_reference_is_what_the_code_says() -> None:
    made = generate.pages()
    written = {name: (DOCS / "reference" / name).read_text(encoding="utf-8") for name in made}
    assert [name for name in made if written[name] != made[name]] == [], "run `make docs`"


@pytest.mark.parametrize("page", [DOCS.parent / "README.md", *sorted(DOCS.rglob("*.md"))], ids=lambda page: page.name)
def test_links_between_the_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} points to {target}"


def test_the_readme_fits_one_screen_and_names_two_make_commands() -> None:
    lines = (DOCS.parent / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 45
    assert re.findall(r"^\$ (make \w+)", "\n".join(lines), re.MULTILINE) == ["make run", "make test"]


def test_the_list_of_commands_is_what_the_commands_say() -> None:
    assert catalogue.FILE.read_text(encoding="utf-8") == generate.commands_text(), "run `make docs`"
    assert generate.MAN.read_text(encoding="utf-8") == man_page(catalogue.load()), "run `make docs`"
