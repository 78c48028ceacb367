"""Parameters that lists share."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

#: How many at most.
Limit = Annotated[int, Query(ge=1, le=1000, description="How many at most.")]
