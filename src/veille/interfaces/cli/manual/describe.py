"""Makes the list of all commands from the commands themselves. It loads all of them: for `docs/generate.py` only."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

#: How the value of an option is called.
_VALUES = {
    "text": "TEXT",
    "str": "TEXT",
    "int": "NUMBER",
    "integer": "NUMBER",
    "int range": "NUMBER",
    "integer range": "NUMBER",
    "float": "NUMBER",
    "float range": "NUMBER",
    "path": "FILE",
    "file": "FILE",
    "directory": "FOLDER",
}


def described(command: Any, groups: Mapping[str, list[str]] | None = None) -> dict[str, Any]:
    """A command of Typer with all below it, as JSON types; `groups` are the headings of its commands."""
    text, examples = parted(command.help or "")
    inner = getattr(command, "commands", None)
    shown = [one for one in command.params if not getattr(one, "hidden", False) and one.name != "help"]
    node: dict[str, Any] = {
        "help": text,
        "examples": examples,
        "arguments": [_argument(one) for one in shown if one.param_type_name == "argument"],
        "options": [_option(one) for one in shown if one.param_type_name == "option"],
    }
    if inner is not None:
        names = [name for name, one in inner.items() if not one.hidden]
        node["groups"] = dict(groups or {"Commands": names})
        node["commands"] = {name: described(inner[name]) for name in sorted(names)}
        node["asks"] = bool(command.no_args_is_help)
        node["alone"] = bool(command.invoke_without_command)
    return node


def parted(text: str) -> tuple[str, list[str]]:
    """The words of a docstring, and its examples."""
    words, _, examples = inspect.cleandoc(text).partition("\nExample")
    lines = [line.strip() for line in examples.partition(":")[2].splitlines()]
    return words.strip(), [line for line in lines if line]


def _argument(one: Any) -> dict[str, Any]:
    return {
        "name": one.name,
        "shown": one.metavar or one.name.upper(),
        "help": getattr(one, "help", None) or "",
        "required": one.required,
        "many": one.nargs != 1,
        "choices": list(getattr(one.type, "choices", ())),
    }


def _option(one: Any) -> dict[str, Any]:
    choices = list(getattr(one.type, "choices", ()))
    value = one.metavar or "|".join(choices) or _VALUES.get(one.type.name, one.type.name.upper())
    default = getattr(one.default, "value", one.default)
    is_shown = isinstance(default, str | int | float) and not isinstance(default, bool) and default != ""
    return {
        "name": one.name,
        "names": sorted([*one.opts, *one.secondary_opts], key=lambda name: not name.startswith("--")),
        "value": "" if one.is_flag or one.count else value,
        "help": one.help or "",
        "default": str(default) if is_shown and one.show_default else "",
        "many": bool(one.multiple),
        "choices": choices,
    }
