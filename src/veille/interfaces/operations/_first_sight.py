"""What a change says at first sight, as fields of responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field

from veille.core.text import visible
from veille.core.told import EditKind
from veille.interfaces.operations.shapes import Shape

if TYPE_CHECKING:
    from veille.core.records import Event


class ExcerptPart(Shape):
    """A stretch of text that stayed, was deleted or was inserted."""

    kind: EditKind
    text: str


class ChangedValue(Shape):
    """A value before and after a change, as people read it."""

    name: str
    before: str
    after: str
    percent: float | None = Field(description="By how much a number rose or fell; null if that says nothing.")


def first_sight(event: Event) -> dict[str, Any]:
    """What a change says at first sight, as fields."""
    told = event.told
    return {
        "excerpt": [ExcerptPart(kind=edit.kind, text=visible(edit.text)) for edit in told.excerpt],
        "values": [
            ChangedValue(name=one.name, before=visible(one.before), after=visible(one.after), percent=one.percent)
            for one in told.values
        ],
        "reason": visible(told.reason),
    }
