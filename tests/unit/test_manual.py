"""Help, man page and completion, from the list of all commands."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from veille.interfaces.cli.manual.catalogue import follow, load, program, walk
from veille.interfaces.cli.manual.completion import SCRIPTS, answer, script
from veille.interfaces.cli.manual.page import help_page
from veille.interfaces.cli.manual.roff import man_page
from veille.interfaces.cli.terminal.listing import Row, remember

ROOT = load()


@pytest.mark.parametrize(
    ("words", "path"),
    [
        (["--help"], "veille"),
        (["sources", "--help"], "veille sources"),
        (["sources", "--help", "edit"], "veille sources"),
        (["--data", "/x", "sources", "edit", "one", "--help"], "veille sources edit"),
        (["--data=/x", "--json", "sources", "edit", "-nNew", "--help"], "veille sources edit"),
        (["add", "x", "-yk", "page", "--help"], "veille add"),
    ],
)
def test_help_is_that_of_the_command_that_is_named(words: list[str], path: str) -> None:
    spot = follow("veille", ROOT, words)
    assert spot is not None
    assert spot.wants_help
    assert " ".join(spot.path) == path


@pytest.mark.parametrize(
    "words", [["add", "--name", "--help"], ["add", "-n", "--help"], ["search", "--", "--help"], ["--data", "--help"]]
)
def test_a_value_or_an_argument_is_no_question_for_help(words: list[str]) -> None:
    spot = follow("veille", ROOT, words)
    assert spot is not None
    assert not spot.wants_help


@pytest.mark.parametrize("words", [["sourcs", "--help"], ["--nonsense", "--help"], ["sources", "edit", "-X", "--help"]])
def test_what_is_mistyped_leads_nowhere(words: list[str]) -> None:
    assert follow("veille", ROOT, words) is None


def test_every_page_fits_the_terminal_and_shows_an_example() -> None:
    for path, node in walk(("veille",), ROOT):
        page = help_page(path, node, 80)
        examples = {f"  {one}" for one in node["examples"]}
        long = [line for line in page.splitlines() if len(line) > 80 and line not in examples]
        assert long == [], path
        assert node["examples"] or "commands" in node, path
        assert "[bold" not in page


def test_every_command_is_under_one_heading() -> None:
    named = [name for names in ROOT["groups"].values() for name in names]
    assert sorted(named) == sorted(ROOT["commands"])


def test_meri_has_the_crawler_only() -> None:
    assert list(program("meri")["commands"]) == ["crawler"]


def test_completion_knows_commands_options_and_choices() -> None:
    assert answer("veille", "bash", ["sourc"]) == "sources\n"
    assert answer("veille", "bash", ["sources", "pa"]) == "pause\n"
    assert "--every\n" in answer("veille", "bash", ["sources", "edit", "--"])
    assert answer("veille", "fish", ["completion", "z"]) == "zsh\t\n"
    assert answer("veille", "bash", ["no-such-command", ""]) == ""


def test_completion_knows_names_that_were_listed_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("VEILLE_DATA", str(tmp_path / "data"))
    remember(tmp_path / "data", "sources", [Row("d", "1", "Tea price"), Row("d", "2", "$(rm -r x)")])
    assert answer("veille", "bash", ["sources", "pause", ""]) == "'$(rm -r x)'\n'Tea price'\n"
    assert answer("veille", "bash", ["rules", "add", "x", "--source", "T"]) == "'Tea price'\n"


@pytest.mark.parametrize("shell", sorted(SCRIPTS))
def test_a_script_for_each_shell_asks_the_program(shell: str) -> None:
    assert f"veille __complete {shell}" in script(shell)


def test_bash_completes_a_command() -> None:
    asked = "COMP_WORDS=(veille sourc); COMP_CWORD=1; _veille; echo ${COMPREPLY[@]}"
    veille = f'veille() {{ "{sys.executable}" -m veille "$@"; }}'
    done = subprocess.run(
        ["bash", "-c", f"{veille}\n{script('bash')}\n{asked}"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout == "sources\n"


def test_the_man_page_has_every_command() -> None:
    page = man_page(ROOT)
    for path, node in walk(("veille",), ROOT):
        assert len(path) == 1 or f'.SS "{" ".join(path)}'.replace("-", "\\-") in page, node
