"""The catalogue: sources worth watching by category, and search engines, as data in `catalogue.json`."""

from __future__ import annotations

import json
import pkgutil
from dataclasses import dataclass, field
from functools import cache

from veille.core.engines import Engine, engine_of
from veille.core.models import Json
from veille.errors import NotFoundError


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One source of the catalogue."""

    category: str
    name: str
    url: str
    kind: str
    every: str
    config: Json = field(default_factory=dict)


def entries(category: str | None = None) -> list[Entry]:
    """The sources of a category, or all of them."""
    found = [Entry(**record) for record in _data()["sources"]]
    known = dict.fromkeys(entry.category for entry in found)
    if category is not None and category not in known:
        raise NotFoundError(
            f"There is no category {category!r} in the catalogue; there are: {', '.join(known)}.", code="no_category"
        )
    return [entry for entry in found if category in {None, entry.category}]


def built_in_engines() -> dict[str, Engine]:
    """The search engines that come with the program, by id."""
    return {record["id"]: engine_of(record) for record in _data()["engines"]}


@cache
def _data() -> Json:
    found: Json = json.loads(pkgutil.get_data(__package__, "catalogue.json") or b"{}")
    return found
