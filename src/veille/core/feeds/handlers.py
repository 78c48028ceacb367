"""How an element is read, and the simple readers: collect the text, use it or drop it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from veille.core.feeds.machine import Attributes, Machine

#: Called at the start of an element, at its end, or once for an element with nothing but text.
_Start = Callable[[Machine, Attributes], None]
_End = Callable[[Machine], None]
Leaf = Callable[[Machine, str, Attributes], None]


class Handlers(NamedTuple):
    """The handlers of an element; `leaf` is a fast path for elements without children, which gets the whole text."""

    start: _Start
    end: _End
    leaf: Leaf | None = None


def by_name(elements: Mapping[str, Handlers]) -> dict[str, Handlers]:
    """The elements of a table whose keys have one or more names, separated by spaces."""
    return {name: element for names, element in elements.items() for name in names.split()}


def whole(start: _Start, end: _End) -> Handlers:
    """An element whose fast path is its start, its text and its end."""

    def leaf(machine: Machine, text: str, attributes: Attributes) -> None:
        start(machine, attributes)
        if text:
            machine.data(text)
        end(machine)

    return Handlers(start, end, leaf)


def pushing(name: str, *, keep: bool = False) -> _Start:
    """Collects the text that follows."""
    return lambda machine, _: machine.push(name, keep=keep)


def popping(name: str) -> _End:
    """Ends what `pushing` began."""

    def end(machine: Machine) -> None:
        machine.pop(name)

    return end


def ignored(name: str) -> Handlers:
    """Collects the text and drops it, so that it does not end up in another element."""
    return Handlers(pushing(name), popping(name), nothing_said)


def used(name: str, use: Callable[[Machine, str], None]) -> Handlers:
    """Collects the text and calls `use` with it."""
    return Handlers(
        pushing(name),
        lambda machine: use(machine, machine.pop(name)),
        lambda machine, text, _: use(machine, machine.limited(text)),
    )


def flagged(name: str, flag: str) -> Handlers:
    """Sets a flag of the machine while it is inside this element."""

    def start(machine: Machine, _: Attributes) -> None:
        setattr(machine, flag, True)
        machine.push(name, keep=False)

    def end(machine: Machine) -> None:
        machine.pop(name)
        setattr(machine, flag, False)

    return Handlers(start, end)


def nothing(machine: Machine, attributes: Attributes) -> None:
    """Ignores the element; its children are read as if they were in its place."""


def nothing_said(machine: Machine, text: str, attributes: Attributes) -> None:
    """Ignores a leaf element without a meaning."""
