"""Operations on values: what is followed over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from veille.core.text import visible
from veille.interfaces.operations._limits import MAX_URL
from veille.interfaces.operations._operation import InDossier, Place, operation
from veille.interfaces.operations.shapes import Shape

if TYPE_CHECKING:
    from veille.core.models import Json
    from veille.core.values.value import Value, ValueLine, ValuePoint


class WhichValues(InDossier):
    """Which values."""

    source_id: str | None = Field(None, max_length=MAX_URL, description="Only of this source.")
    name: str = Field("", max_length=60, description="Only of this name; then every point of the series comes, too.")
    since: int = Field(0, ge=0, le=2**53, description="Only what changed since then, in milliseconds since 1970.")
    limit: int = Field(100, ge=1, le=1000, description="Maximum number, of values and of points.")


class ValueNow(Shape):
    """A value of a document as it is now."""

    document_id: str
    source_id: str
    source_name: str
    url: str
    title: str
    name: str
    type: str | None = Field(None, description="Missing if the value is no longer found, like `text` and `number`.")
    text: str | None = None
    number: float | None = Field(None, description="Of a date, milliseconds since 1970.")
    unit: str = Field("", description="The currency of a price, or another unit.")
    before: str | None = Field(None, description="What it was before; missing if nothing is known.")
    at: int = Field(description="Since when it is so.")


class ValueThen(Shape):
    """A point of a series: the value from this time on, until the next point of its document."""

    document_id: str
    source_id: str
    extraction_id: str
    at: int
    text: str | None = Field(None, description="Missing from when the value was no longer found.")
    number: float | None = None
    unit: str = ""


class ValuesFound(Shape):
    """Values, the last changed first; with a name, the points of their series, the oldest first."""

    trust: Literal["untrusted"] = "untrusted"
    values: list[ValueNow]
    points: list[ValueThen] = Field([])


@operation("read", untrusted=True)
def _values(place: Place, given: WhichValues) -> ValuesFound:
    """Prices, numbers, dates and states that are followed: as they are now, before, and over time."""
    stored = place.reading.values
    source_id = place.reading.sources.find(given.source_id).id if given.source_id else ""
    lines = stored.lines(source_id=source_id, name=given.name, since=given.since, limit=given.limit)
    points = (
        stored.series(source_id=source_id, name=given.name, since=given.since, limit=given.limit) if given.name else []
    )
    return ValuesFound(values=list(map(_now, lines)), points=list(map(_then, points)))


def _now(line: ValueLine) -> ValueNow:
    value = line.value
    read = (
        {"type": value.type, "text": visible(value.text), "number": value.number, "unit": value.unit} if value else {}
    )
    return ValueNow.showing(
        line,
        **read,
        source_name=visible(line.source_name),
        title=visible(line.title),
        before=visible(line.before.text) if line.before else None,
    )


def _then(point: ValuePoint) -> ValueThen:
    return ValueThen.showing(point, **_read(point.value), extraction_id=point.revision_id)


def _read(value: Value | None) -> Json:
    return {"text": visible(value.text), "number": value.number, "unit": value.unit} if value else {}
