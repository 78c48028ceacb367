"""The paths of a JSON answer, each with how its value begins: for a model that is asked where the items are."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

_MOST_LINES: Final = 400
_MOST_CHARS: Final = 12_000
_MOST_LEVELS: Final = 12
_VALUE: Final = 60


def outlined_json(value: Any) -> str:
    """A line for every value; of a list, for those of its first element.

    >>> print(outlined_json({"groups": [{"entries": [{"headline": "Tea", "n": 1}, {}]}]}))
    groups (list of 1)
    groups.*.entries (list of 2)
    groups.*.entries.*.headline 'Tea'
    groups.*.entries.*.n 1
    """
    return "\n".join(islice(_lines(value, ""), _MOST_LINES))[:_MOST_CHARS]


def _lines(value: Any, path: str) -> Iterator[str]:
    if path.count(".") >= _MOST_LEVELS:
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            name = str(key).replace(".", "\\.")
            yield from _lines(inner, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        yield f"{path} (list of {len(value)})".lstrip()
        if value:
            yield from _lines(value[0], f"{path}.*" if path else "*")
    elif path:
        shown = value[:_VALUE] if isinstance(value, str) else value
        yield f"{path} {shown!r}"
