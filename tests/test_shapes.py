"""Programs that were written for an earlier veille still work: only words for people may change."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import shapes

HELP = "If the change is intended, run `python tests/shapes.py` and add it to the changelog."


def _pinned(name: str) -> Any:
    return json.loads((shapes.FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def _differences(name: str, now: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Every route, tool, command or setting that is not as it was: before and now."""
    pinned, now = _pinned(name), json.loads(shapes.text(now))
    return {key: (pinned.get(key), now.get(key)) for key in pinned | now if pinned.get(key) != now.get(key)}


@pytest.mark.parametrize("name", shapes.STATIC)
def test_shapes_are_as_programs_know_them(name: str) -> None:
    assert _differences(name, shapes.STATIC[name]()) == {}, HELP


@pytest.mark.timeout(180)  # every command once
def test_what_commands_print_as_json_is_as_programs_know_it(tmp_path: Path) -> None:
    assert _differences("printed", shapes.printed(tmp_path)) == {}, HELP


def test_every_command_that_prints_json_is_pinned() -> None:
    printing = {name for name, options in shapes.commands().items() if "--json" in options}
    assert printing - {"veille"} == _pinned("printed").keys() - {"any command that fails"}


def test_words_for_people_are_no_part_of_a_shape() -> None:
    schema = {"title": "A hit", "properties": {"title": {"type": "string", "description": "Its name."}}}
    assert shapes.wordless(schema) == {"properties": {"title": {"type": "string"}}}
