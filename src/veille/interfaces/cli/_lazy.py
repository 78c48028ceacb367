"""Lazy loading of commands: importing all of them takes longer than most of them take to run."""

from __future__ import annotations

import gc
from collections import UserDict
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_group


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Loading makes very many objects and frees hardly any: collecting meanwhile takes a quarter of the start."""
    gc.disable()
    try:
        yield
        # What is loaded stays until the end: it is not looked at again, nor when the process ends.
        gc.freeze()
    finally:
        gc.enable()


@cache
def _command(name: str, place: str, *, dashed: bool) -> Any:
    module, _, attribute = place.partition(":")
    with _undisturbed():
        found = getattr(import_module(f"{__package__}.{module}"), attribute)
    around = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    if isinstance(found, typer.Typer):
        around.add_typer(found, name=name)
    else:
        around.command(name, context_settings={"ignore_unknown_options": dashed})(found)
    return get_group(around).commands[name]


def group_of(places: Mapping[str, str], dashed: Collection[str] = ()) -> type[TyperGroup]:
    """The class of a group of commands; arguments of the `dashed` ones may begin with a dash.

    `places`: the `module:name` of each command; the module is in this package.
    """

    class Commands(UserDict[str, Any]):
        """Each is imported when it is looked up."""

        def __getitem__(self, name: str) -> Any:
            return _command(name, places[name], dashed=name in dashed)

    class Group(TyperGroup):
        def __init__(self, **given: Any) -> None:
            super().__init__(**given)
            self.commands: Any = Commands(places)

    return Group
