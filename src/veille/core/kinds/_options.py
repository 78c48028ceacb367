"""Types of options that several kinds share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field

from veille.core.crawl.bounds import pattern_of

#: The ways in which values can be found on a page.
PAGE_WAYS = frozenset({"selector", "xpath", "near"})


@dataclass(frozen=True, slots=True)
class OneOf:
    """Marks an option as one of some names; which names there are depends on what is installed.

    Forms offer them. Stored options with a name that no longer exists can still be loaded: see `Kind.check`.
    """

    names: Callable[[], Sequence[str]]


def _texts(value: object) -> object:
    if not isinstance(value, str | list | tuple):
        raise ValueError("it should be a text or a list of texts")  # noqa: TRY004 - pydantic reports only this one
    return value


def _several(value: object) -> object:
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else _texts(value)


def _readable(patterns: tuple[str, ...]) -> tuple[str, ...]:
    for pattern in patterns:
        pattern_of(pattern)
    return patterns


def _lines(value: object) -> object:
    return (
        tuple(line.strip() for line in value.split("\n") if line.strip()) if isinstance(value, str) else _texts(value)
    )


def _once(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))


_ONE_OR_MORE = BeforeValidator(lambda value: (value,) if isinstance(value, str) else _texts(value))
#: A list, or a comma-separated text.
Several = Annotated[tuple[str, ...], BeforeValidator(_several)]
#: A list of selectors, or a text with one on each line: a comma belongs to a selector.
Selectors = Annotated[tuple[str, ...], BeforeValidator(_lines), AfterValidator(_once)]
#: A list of patterns as `core.bounds` reads them; a regular expression may have commas, so one text is one pattern.
Patterns = Annotated[tuple[str, ...], _ONE_OR_MORE, AfterValidator(_readable)]
#: A list of lines with the wildcards `*` and `?`.
Lines = Annotated[tuple[Annotated[str, Field(min_length=1, max_length=200)], ...], _ONE_OR_MORE]
