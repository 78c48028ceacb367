"""Paging: query parameters that lists share, and cursors."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated

from fastapi import Query, Response

from veille.errors import ConfigError

#: Page size.
Limit = Annotated[int, Query(ge=1, le=1000, description="Maximum number.")]
#: Cursor: where the previous page ended.
Before = Annotated[str | None, Query(max_length=60, description="The header X-Next of the previous page.")]
_PLACE = re.compile(r"([0-9]{1,18})\.([0-9]{1,18})")


def place_of(text: str | None) -> tuple[int, int] | None:
    """Parse the cursor of an X-Next header."""
    if not text:
        return None
    found = _PLACE.fullmatch(text)
    if found is None:
        raise ConfigError("This is no cursor of this list: use the X-Next of the previous page.", code="bad_cursor")
    return int(found[1]), int(found[2])


def end_of(places: Sequence[tuple[int, int]], limit: int) -> str:
    """The cursor for the next page; empty when this one was the last."""
    return f"{places[-1][0]}.{places[-1][1]}" if len(places) == limit else ""


def tell_next(response: Response, places: Sequence[tuple[int, int]], limit: int) -> None:
    """Set the X-Next header, if there may be another page."""
    if end := end_of(places, limit):
        response.headers["X-Next"] = end
