"""A value of a document, and how it changed."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum


class ValueType(StrEnum):
    """What a value is, which decides how it is read, compared and shown."""

    NUMBER = "number"
    PRICE = "price"
    COUNT = "count"
    DATE = "date"
    AVAILABILITY = "availability"
    VERSION = "version"
    TEXT = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One value, as it was read from one revision of a document."""

    name: str
    type: ValueType
    #: As people read it: `12.90 EUR`, `in stock`, `2026-03-01`, `3.11.2`; of a text, the text itself.
    text: str
    #: For numbers, prices and counts the number; for dates milliseconds since 1970; otherwise None.
    number: float | None = None
    #: The currency of a price (`EUR`), or another unit; empty if there is none.
    unit: str = ""

    @property
    def exact(self) -> Decimal | None:
        """The number as it was written: 12.9 is 12.9, not 12.9000000000000003."""
        return None if self.number is None else Decimal(repr(self.number))


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueChange:
    """A value before and after a change of its document; None where it was not there."""

    name: str
    before: Value | None = None
    after: Value | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ValuePoint:
    """A stored value: from this time on, until the next point of the same document and name."""

    document_id: str
    source_id: str
    revision_id: str
    at: int
    #: None from when the value was no longer found.
    value: Value | None
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueLine:
    """A value of a document as it is now, for lists: what it was before, and since when it is so."""

    document_id: str
    source_id: str
    source_name: str
    url: str
    title: str
    name: str
    #: None if it is no longer found.
    value: Value | None
    #: None if it has no earlier point, or was not found then.
    before: Value | None
    at: int
