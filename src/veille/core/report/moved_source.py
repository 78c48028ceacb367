"""A source on its way to another dossier, with everything that it brought."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple


class Crate(NamedTuple):
    """Rows of one table, as one store gives them and another takes them in."""

    table: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[Any, ...]]
