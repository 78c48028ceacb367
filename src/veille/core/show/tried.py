"""What a field of a source's options takes from its last fetch, as it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

#: Fields with selectors of what a picture shows or covers.
PICTURED: Final = frozenset({"picture_selector", "picture_ignore"})
#: Fields that decide which addresses are read.
BOUNDS: Final = frozenset({"include", "exclude"})
#: Fields with selectors, patterns and paths, of all kinds.
CAN_TRY: Final = (
    frozenset("mode selectors item title_selector link_selector date_selector values ignore result_path fields".split())
    | PICTURED
    | BOUNDS
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedSample:
    """A document or an address that would be read, with its values by name."""

    title: str
    url: str
    text: str = ""
    values: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedField:
    """What one field takes."""

    field: str
    #: How many documents and addresses are read, and the first of them.
    found: int = 0
    samples: tuple[TriedSample, ...] = ()
    #: What the field itself takes, where that is no document: lines, elements, addresses that are left out.
    takes: tuple[str, ...] = ()
    #: How many of those there are in all; None if the field takes documents.
    count: int | None = None
    #: What was not found.
    missing: tuple[str, ...] = ()
