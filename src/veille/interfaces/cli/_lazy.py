"""Lazy loading of commands: importing all of them takes longer than most of them take to run."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

if TYPE_CHECKING:
    #: The `module:name` of each command; the module is in this package.
    Places = Mapping[str, str]


class _Commands(Mapping[str, Any]):
    """Commands by name, each imported when it is looked up."""

    def __init__(self, places: Places, dashed: Collection[str]) -> None:
        self._places = places
        self._dashed = dashed

    def __getitem__(self, name: str) -> Any:
        return _command(name, self._places[name], dashed=name in self._dashed)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


@cache
def _command(name: str, place: str, *, dashed: bool) -> Any:
    module, _, attribute = place.partition(":")
    found = getattr(import_module(f"{__package__}.{module}"), attribute)
    around = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="rich")
    if isinstance(found, typer.Typer):
        around.add_typer(found, name=name)
    else:
        around.command(name, context_settings={"ignore_unknown_options": dashed})(found)
    return get_group(around).commands[name]


def group_of(places: Places, dashed: Collection[str] = ()) -> type[TyperGroup]:
    """The class of a group with these commands; arguments of the `dashed` ones may begin with a dash."""

    class Group(TyperGroup):
        def __init__(self, **given: Any) -> None:
            super().__init__(**given)
            self.commands: Any = _Commands(places, dashed)

    return Group
