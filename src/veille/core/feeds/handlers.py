"""What a handler of elements is, and the plain ones: take the text, give it away or forget it."""

from __future__ import annotations

from collections.abc import Callable

from veille.core.feeds.machine import Attributes, Machine

#: What happens where an element begins, where it ends, and both at once if there is nothing but text inside.
Start = Callable[[Machine, Attributes], None]
End = Callable[[Machine], None]
Leaf = Callable[[Machine, str, Attributes], None]
Pair = tuple[Start, End]


def pushing(name: str, *, keep: bool = False) -> Start:
    """Takes the text that follows."""

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
    """Keeps its text from others."""
    return pushing(name), popping(name)


def collected(name: str) -> Pair:
    """What an element does that is not listed: it keeps its text from others, unless it has attributes."""

    def start(machine: Machine, attributes: Attributes) -> None:
        if not attributes:
            machine.push(name, keep=False)

    return start, popping(name)


def nothing(machine: Machine, attributes: Attributes) -> None:
    """Its children are read as if they stood in its place."""


def nothing_said(machine: Machine, text: str, attributes: Attributes) -> None:
    """What an element without children and without a meaning does."""
