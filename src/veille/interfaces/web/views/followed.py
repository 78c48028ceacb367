"""Values on pages: what each is now and was before, and a chart if it is a number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from veille.core.values.value import ValueLine, ValueType
from veille.interfaces.web.views.charts import steps

if TYPE_CHECKING:
    from markupsafe import Markup

    from veille.core.values.value import ValuePoint
    from veille.ports.values import Values

#: As many are on a page, the last changed first.
_SHOWN = 12
_POINTS = 1000
_CHARTED = frozenset({ValueType.NUMBER, ValueType.PRICE, ValueType.COUNT})


@dataclass(frozen=True, slots=True)
class Followed:
    """A value, and its chart; empty for values that are no numbers."""

    line: ValueLine
    chart: Markup | str


def followed(values: Values, now: int, *, source_id: str = "", document_id: str = "") -> list[Followed]:
    """The values of a source or a document, the last changed first."""
    lines = values.lines(source_id=source_id, document_id=document_id, limit=_SHOWN)
    return [
        Followed(one, _chart(one.name, values.series(document_id=one.document_id, name=one.name, limit=_POINTS), now))
        for one in lines
    ]


def _chart(name: str, points: Sequence[ValuePoint], now: int) -> Markup | str:
    read = [point.value for point in points if point.value is not None]
    # Of mixed types or units there is no common axis.
    if len({(value.type, value.unit) for value in read}) != 1 or read[0].type not in _CHARTED:
        return ""
    marks = [(one.at, one.value.number if one.value else None, one.value.text if one.value else "") for one in points]
    return steps(f"{name} over time", marks, max(now, points[-1].at))
