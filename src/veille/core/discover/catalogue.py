"""The catalogue: sources worth watching by category, and search engines, as data in `catalogue.json`."""

from __future__ import annotations

import json
import pkgutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

from veille.core.discover.engines import SearchEngine, engine_of
from veille.core.fingerprint import raw_hash
from veille.core.models import Json
from veille.errors import NotFoundError

_ID_CHARS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueEntry:
    """One source of the catalogue."""

    id: str
    category: str
    name: str
    url: str
    kind: str
    every: str
    config: Json = field(default_factory=dict)
    description: str = ""
    #: Whether it can be picked.
    enabled: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """An administrator's replacement of, or addition to, a built-in record."""

    #: None hides the built-in record of this id.
    record: Json | None
    created_at: int
    updated_at: int


def entry_id(url: str) -> str:
    """The id of a built-in entry."""
    return raw_hash(url.encode())[:_ID_CHARS]


def entries(offers: Mapping[str, Offer] | None = None) -> dict[str, CatalogueEntry]:
    """The sources of the catalogue by id: the built-in ones, with the changes of administrators."""
    built_in = {entry_id(record["url"]): record for record in _data()["sources"]}
    records = _changed(built_in, offers or {})
    return {entry: CatalogueEntry(**(record | {"id": entry})) for entry, record in records.items()}


def of_category(found: Iterable[CatalogueEntry], category: str) -> list[CatalogueEntry]:
    """The entries of a category that can be picked."""
    usable = [entry for entry in found if entry.enabled]
    known = dict.fromkeys(entry.category for entry in usable)
    if category not in known:
        raise NotFoundError(
            f"There is no category {category!r} in the catalogue; there are: {', '.join(known)}.", code="no_category"
        )
    return [entry for entry in usable if category == entry.category]


def engines(offers: Mapping[str, Offer] | None = None) -> dict[str, SearchEngine]:
    """The search engines by id: the built-in ones, with the changes of administrators."""
    built_in = {record["id"]: record for record in _data()["engines"]}
    return {engine: engine_of(record) for engine, record in _changed(built_in, offers or {}).items()}


def _changed(built_in: dict[str, Json], offers: Mapping[str, Offer]) -> dict[str, Json]:
    own = {name: offer.record for name, offer in offers.items()}
    return {name: record for name, record in (built_in | own).items() if record is not None}


@cache
def _data() -> Json:
    found: Json = json.loads(pkgutil.get_data(__package__, "catalogue.json") or b"{}")
    return found
