"""`docs/reference/python.md` from the docstrings of what programs import; their examples are run by a test."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import fields
from enum import StrEnum
from importlib import import_module
from typing import Any, get_type_hints

import veille
from veille import library
from veille.core.ask.passages import AskAnswer, Citation, Statement
from veille.core.models import Source
from veille.core.records import Event, Revision, RevisionLine, RunItem
from veille.core.search.answers import Hit
from veille.core.told import TextEdit, ToldChange, ToldValue
from veille.core.values.value import Value, ValuePoint

CLASSES = (library.DataFolder, library.WatchedDossier, library.Rows, library.ChangeRows)
#: What methods return, in the order of the methods, each with what is in its fields.
RECORDS = (
    *(Source, RunItem, Event, ToldChange, TextEdit, ToldValue, Hit, AskAnswer, Statement, Citation),
    *(Revision, RevisionLine, ValuePoint, Value),
)
#: Doors to parts that are useful without a data folder.
DOORS = ("veille.search", "veille.reader", "veille.extract", "veille.feeds", "veille.rules")


def python_page() -> str:
    """The page: the library, its records, and the doors."""
    parts = ["# Python\n", _rendered(library)]
    for name in ("open", "open_async"):
        parts += _function(getattr(veille, name), name, f"## `veille.{name}`")
    for one in CLASSES:
        parts += [f"## `{one.__name__}`\n", _rendered(one), *_methods(one)]
    awaited = f"{_doc(library.AsyncDataFolder)} {_doc(library.AsyncDossier)}"
    parts += ["## `AsyncDataFolder` and `AsyncDossier`\n", f"{awaited}\n"]
    parts += [*_errors(), "## `veille.__version__`\n", "The version of the package, as `veille --version` tells it.\n"]
    parts += ["## Records\n", "Frozen dataclasses. Further fields may be added.\n"]
    for record in RECORDS:
        parts += [f"### `{record.__name__}`\n", _rendered(record), _fields(record)]
    parts += ["## Without a data folder\n"]
    for name in DOORS:
        parts += _door(name)
    return "\n".join(parts)


def _errors() -> Iterator[str]:
    yield "## Errors\n"
    yield "Raised on purpose, each with a `code` that is stable ([all codes](errors.md)); anything else is a bug.\n"
    found = [getattr(veille, name) for name in veille.__all__ if name.endswith("Error")]
    for one in sorted(found, key=lambda error: len(error.__mro__)):
        kind = "" if one is veille.VeilleError else f"A `{one.__base__.__name__}`. "
        yield from (f"### `veille.{one.__name__}`\n", f"{kind}{_rendered(one)}")


def _door(name: str) -> Iterator[str]:
    module = import_module(name)
    yield from (f"### `{name}`\n", _rendered(module))
    for one in module.__all__:
        found = getattr(module, one)
        if inspect.isroutine(found) or hasattr(found, "__wrapped__"):
            yield from _function(found, one, f"#### `{one}`")


def _methods(one: type) -> Iterator[str]:
    for name, method in _public(one):
        yield from _function(method, name, f"### `{name}`")


def _public(one: type) -> Iterator[tuple[str, Any]]:
    return (pair for pair in vars(one).items() if inspect.isfunction(pair[1]) and not pair[0].startswith("_"))


def _function(found: Any, name: str, title: str) -> tuple[str, ...]:
    return (f"{title}\n", f"```python\n{_signature(found, name)}\n```\n", _rendered(found))


def _signature(function: Any, name: str) -> str:
    """As a caller reads it: without `self`, and with types as they are written."""
    found = inspect.signature(function)
    wanted = [one for one in found.parameters.values() if one.name != "self"]
    return name + re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(found.replace(parameters=wanted)))


def _fields(record: type) -> str:
    """A table of its fields, and of what is worked out from them."""
    said, types = _comments(record), get_type_hints(record)
    rows = [(one.name, one.type, said.get(one.name, "") or _values(types[one.name])) for one in fields(record)]
    worked_out = [(name, found) for name, found in inspect.getmembers(record) if isinstance(found, property)]
    rows += [(name, found.fget.__annotations__["return"], _doc(found)) for name, found in worked_out if found.fget]
    lines = (f"| `{name}` | `{kind}` | {about} |" for name, kind, about in _escaped(rows))
    return "\n".join(["| field | type | |", "|---|---|---|", *lines]) + "\n"


def _values(kind: Any) -> str:
    if inspect.isclass(kind) and issubclass(kind, StrEnum):
        return ", ".join(f"`{one}`" for one in kind)
    return ""


def _escaped(rows: list[tuple[str, Any, str]]) -> Iterator[tuple[str, ...]]:
    for name, kind, about in rows:
        yield name, str(kind).replace("|", "\\|"), about.replace("|", "\\|")


def _comments(record: type) -> dict[str, str]:
    """What the comments above the fields say, also above those that it inherits."""
    said: dict[str, str] = {}
    for one in reversed(record.__mro__[:-1]):
        lines: list[str] = []
        for line in inspect.getsource(one).splitlines():
            if comment := re.fullmatch(r" +#: (.*)", line):
                lines.append(comment[1])
            elif field := re.match(r" +(\w+): ", line):
                said[field[1]] = " ".join(lines)
                lines = []
    return said


def _rendered(found: Any) -> str:
    """A docstring; its examples as blocks."""
    text = _doc(found)
    if found is library:  # whose first line is the title
        text = text.partition("\n")[2].strip()
    return re.sub(r"^(?:>>> .*\n?(?:.+\n?)*)+", _block, text, flags=re.MULTILINE).rstrip() + "\n"


def _block(found: re.Match[str]) -> str:
    return f"```pycon\n{inspect.cleandoc(found[0])}\n```\n"


def _doc(found: Any) -> str:
    return inspect.getdoc(found) or ""


def examples() -> dict[str, str]:
    """The docstrings of the library that have examples, by what they describe, in the order in which they are read."""
    described: dict[str, Any] = {"library": library, "open": veille.open, "open_async": veille.open_async}
    for one in CLASSES:
        described |= {f"{one.__name__}.{name}": method for name, method in _public(one)}
    return {name: _doc(found) for name, found in described.items() if ">>> " in _doc(found)}
