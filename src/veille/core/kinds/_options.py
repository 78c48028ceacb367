"""Types of options that several kinds share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field

from veille.core.crawl.bounds import pattern_of


@dataclass(frozen=True, slots=True)
class OneOf:
    """Says of an option that it is one of some names; which ones there are depends on what is installed.

    Forms offer them. Options that were stored while there were others are loaded all the same: see `Kind.check`.
    """

    names: Callable[[], Sequence[str]]


def _several(value: object) -> object:
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


def _readable(patterns: tuple[str, ...]) -> tuple[str, ...]:
    for pattern in patterns:
        pattern_of(pattern)
    return patterns


#: A list, or its members with commas between them.
Several = Annotated[tuple[str, ...], BeforeValidator(_several)]
#: A list of patterns as `core.bounds` reads them; a regular expression may have commas, so one text is one pattern.
Patterns = Annotated[
    tuple[str, ...],
    BeforeValidator(lambda value: (value,) if isinstance(value, str) else value),
    AfterValidator(_readable),
]
#: A list of lines with `*` and `?` for what may stand there.
Lines = Annotated[
    tuple[Annotated[str, Field(min_length=1, max_length=200)], ...],
    BeforeValidator(lambda value: (value,) if isinstance(value, str) else value),
]
