"""Types of element handlers, and the simple handlers: collect the text, store it or drop it."""

from __future__ import annotations

from collections.abc import Callable

from veille.core.feeds.machine import Attributes, Machine

#: Called at the start of an element, at its end, or once for an element with nothing but text.
Start = Callable[[Machine, Attributes], None]
End = Callable[[Machine], None]
Leaf = Callable[[Machine, str, Attributes], None]
Pair = tuple[Start, End]


def pushing(name: str, *, keep: bool = False) -> Start:
    """Collects the text that follows."""

    def start(machine: Machine, attributes: Attributes) -> None:
        del attributes
        machine.push(name, keep=keep)

    return start


def popping(name: str) -> End:
    """Ends what `pushing` began."""

    def end(machine: Machine) -> None:
        machine.pop(name)

    return end


def ignored(name: str) -> Pair:
    """Collects the text and drops it, so that it does not end up in another element."""
    return pushing(name), popping(name)


def collected(name: str) -> Pair:
    """The default for unlisted elements: the text is dropped, unless the element has attributes."""

    def start(machine: Machine, attributes: Attributes) -> None:
        if not attributes:
            machine.push(name, keep=False)

    return start, popping(name)


def nothing(machine: Machine, attributes: Attributes) -> None:
    """Ignores the element; its children are read as if they were in its place."""


def nothing_said(machine: Machine, text: str, attributes: Attributes) -> None:
    """Ignores a leaf element without a meaning."""
