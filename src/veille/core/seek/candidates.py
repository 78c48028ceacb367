"""What is looked for, what was before, and what was found, as values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from veille.core.models import Json

#: Kinds that give a list; the others give one document.
LISTS = frozenset({"api", "items"})


def limits(kind: str) -> tuple[float, float]:
    """From which likeness on a change is proven, so that it is made at once; and from which on it is worth showing.

    Of a list, entries come and go: half of them known are proof enough.
    """
    return (0.5, 0.25) if kind in LISTS else (0.8, 0.5)


class Sought(StrEnum):
    """What is looked for in an answer."""

    #: What the source used to find, elsewhere in its own answer.
    CONTENT = "content"
    #: Links to where the page may be now.
    LINKS = "links"
    #: Whether this is the page that the source used to find at another address.
    MOVED = "moved"


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """A document as the source last gave it."""

    title: str
    url: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvenChange:
    """A change of a source, how like before its content would be (0 to 1), and how that begins."""

    change: Json
    likeness: float
    sample: str
    #: The model that had the idea; empty: it was found by searching.
    by: str = ""
