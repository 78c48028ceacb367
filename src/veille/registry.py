"""Finds extensions by file name: the file `core/kinds/feed.py` is the kind `feed`. There is no list to edit.

An extension module holds exactly one concrete subclass of its base. Only the chosen extension is imported, so that
heavy libraries of the others stay unloaded; `load_all` is for extensions that all apply. Other packages add theirs
through an entry point of the group named by the base's `entry_points` attribute. `later` is for parts of our own that
are seldom needed.
"""

from __future__ import annotations

import inspect
import pkgutil
import sys
from functools import cache, cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from operator import attrgetter
from types import ModuleType
from typing import Any, TypeVar

from veille.errors import ConfigError, NotFoundError, did_you_mean

T = TypeVar("T")

#: Cache of the extension of each module: every page is offered to every strategy, so lookups are frequent.
_found: dict[ModuleType | None, type[Any]] = {}


def load(package: str, name: str, base: type[T]) -> type[T]:
    """The extension called `name`; NotFoundError lists the known ones."""
    if name in _files(package):
        full = f"{package}.{name}"
        module = sys.modules.get(full)
        if module not in _found:
            module = import_module(full)  # waits for another thread that is importing it
            _found[module] = _extension(module, base)
        return _found[module]
    for entry in _entries(base):
        if entry.name == name:
            return _checked(entry.load(), base, entry.value)
    known = names(package, base)
    likely = did_you_mean(name, known)
    raise NotFoundError(
        f"There is no {base.__name__.lower()} called {name!r}; known: {', '.join(known)}.{likely}",
        code="unknown_extension",
    )


def load_all(package: str, base: type[T]) -> dict[str, type[T]]:
    """Every extension of a package by name, in alphabetical order."""
    return {name: load(package, name, base) for name in names(package, base)}


def names(package: str, base: type[object]) -> list[str]:
    """The names of all extensions of a package, without importing them."""
    return sorted(_files(package) | {entry.name for entry in _entries(base)})


def is_known(package: str, name: str, base: type[object]) -> bool:
    """Whether there is an extension of that name."""
    return name in _files(package) or any(entry.name == name for entry in _entries(base))


@cache
def _files(package: str) -> frozenset[str]:
    modules = pkgutil.iter_modules(import_module(package).__path__)
    # Packages and private modules hold code that extensions share.
    return frozenset(module.name for module in modules if not module.ispkg and not module.name.startswith("_"))


def _entries(base: type[object]) -> tuple[EntryPoint, ...]:
    return _group(getattr(base, "entry_points", ""))


@cache
def _group(group: str) -> tuple[EntryPoint, ...]:
    return tuple(_every().select(group=group))


@cache
def _every() -> Any:
    """The entry points of all packages; read once for all groups, as it takes 13 ms. Its type differs by version."""
    return entry_points()


def _extension(module: ModuleType, base: type[T]) -> type[T]:
    found = [
        value
        for value in vars(module).values()
        if inspect.isclass(value)
        and issubclass(value, base)
        and not inspect.isabstract(value)
        and value.__module__ == module.__name__
    ]
    if len(found) != 1:
        raise ConfigError(
            f"{module.__name__} must hold exactly one {base.__name__}, it holds {len(found)}.", code="bad_extension"
        )
    return found[0]


def _checked(value: object, base: type[T], origin: str) -> type[T]:
    if inspect.isclass(value) and issubclass(value, base):
        return value
    raise ConfigError(f"The entry point {origin} is not a {base.__name__}.", code="bad_extension")


def later(place: str, *parts: str) -> Any:
    """An attribute that is created on first use, by calling `module:name` with the named other attributes.

    The module is imported on first use, too: a command needs few of them, and some are slow to import. For a type
    checker it has the type it is declared with.
    """

    def make(owner: object) -> Any:
        module, _, name = place.partition(":")
        return getattr(import_module(f"veille.{module}"), name)(*(attrgetter(part)(owner) for part in parts))

    return cached_property(make)
