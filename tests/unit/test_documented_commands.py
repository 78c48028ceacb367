"""Every command line in the documentation is one that the program understands: parsed by its own parser, not run."""

from __future__ import annotations

import shlex
from typing import Any

import pytest
from typer.main import get_command

from documented import CASES
from veille.interfaces.cli import app, meri_app

PROGRAMS = {"veille": app, "meri": meri_app}


def _parse(command: Any, name: str, words: list[str], above: Any = None) -> None:
    """As the program does before it runs anything."""
    context = command.make_context(name, list(words), parent=above)
    rest = [*getattr(context, "_protected_args", []), *context.args]
    if hasattr(command, "resolve_command") and rest:
        inner, found, left = command.resolve_command(context, rest)
        _parse(found, inner or "", left, context)


def test_the_documentation_has_commands() -> None:
    assert len(CASES) > 300


@pytest.mark.parametrize("page", sorted({name for name, _ in CASES}))
def test_every_command_is_understood(page: str) -> None:
    commands = {name: get_command(program) for name, program in PROGRAMS.items()}
    wrong = []
    for name, (program, *words) in CASES:
        if name == page and "--help" not in words:
            try:
                _parse(commands[program], program, words)
            except Exception as error:  # noqa: BLE001 - of Typer or of Click, by its version
                wrong.append(f"{program} {shlex.join(words)}: {getattr(error, 'message', error)}")
    assert not wrong


@pytest.mark.parametrize("line", ["sources --nope", "sorces", "sources edit", "rules add x --weight many"])
def test_a_mistyped_command_would_be_seen(line: str) -> None:
    with pytest.raises(Exception, match=r"."):
        _parse(get_command(app), "veille", line.split())
