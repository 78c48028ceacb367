"""Parameters that lists share, and how a list is gone through page by page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated

from fastapi import Query, Response

from veille.errors import ConfigError

#: How many at most.
Limit = Annotated[int, Query(ge=1, le=1000, description="How many at most.")]
#: Where the page before ended.
Before = Annotated[
    str | None, Query(max_length=60, description="The header X-Next of the page before, to go on after it.")
]
_PLACE = re.compile(r"([0-9]{1,18})\.([0-9]{1,18})")


def place_of(text: str | None) -> tuple[int, int] | None:
    """The place that a header X-Next stands for."""
    if not text:
        return None
    found = _PLACE.fullmatch(text)
    if found is None:
        raise ConfigError("That is no place in this list: give the X-Next of the page before.", code="bad_cursor")
    return int(found[1]), int(found[2])


def end_of(places: Sequence[tuple[int, int]], limit: int) -> str:
    """Where this page ended, as a text, if there may be another; else empty."""
    return f"{places[-1][0]}.{places[-1][1]}" if len(places) == limit else ""


def tell_next(response: Response, places: Sequence[tuple[int, int]], limit: int) -> None:
    """Say where this page ended, if there may be another."""
    if end := end_of(places, limit):
        response.headers["X-Next"] = end
