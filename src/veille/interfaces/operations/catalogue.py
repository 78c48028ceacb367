"""Operations to start with: dossiers, ready-made sources, search engines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from veille.core.discover.engines import SearchEngine as Asked
from veille.core.discover.engines import as_it_was
from veille.core.http.credentials import hidden, shown_options
from veille.core.models import Json
from veille.core.schedule import duration_ms
from veille.errors import ConfigError
from veille.interfaces.operations._limits import json_object
from veille.interfaces.operations._operation import Arguments, InDossier, Place, operation
from veille.interfaces.operations.shapes import TYPES, Shape

#: Properties of an engine with their own field in the shape; the rest is in `api_config`.
_APART = frozenset({"id", "name", "strategy", "url_template", "selectors", "max_pages", "rate_limit_ms", "enabled"})


class Category(InDossier):
    """Which category."""

    category: str = Field(min_length=1, max_length=100, description="A category of veille_list_categories.")


class EnableEngine(InDossier):
    """Which engine, on or off."""

    engine_id: str = Field(min_length=1, max_length=100, description="An engine of veille_list_engines.")
    enabled: bool = Field(default=True, description="Whether questions may ask it.")


class DossierName(Shape):
    """A dossier."""

    id: str
    name: str


class ReadyMade(Shape):
    """A source of the catalogue."""

    name: str
    url: str
    source_type: str
    fetch_interval: int


class ReadyMades(Shape):
    """A category of the catalogue."""

    category: str
    sources: list[ReadyMade]


class Populated(Shape):
    """How many sources were added, and how many were watched already."""

    category: str
    added: int
    skipped: int


class Engine(Shape):
    """A search engine; `api_config` and `selectors` are JSON in a string, and credentials are hidden."""

    id: str
    name: str
    strategy: str
    url_template: str
    api_config: str
    selectors: str
    max_pages: int
    rate_limit_ms: int
    enabled: bool


def engine_shape(engine: Asked) -> Engine:
    """The shape of an engine, without credentials."""
    record = engine.record
    config = {name: value for name, value in record.items() if name not in _APART}
    if engine.headers:
        config["headers"] = hidden(engine.headers)
    return Engine.showing(
        engine,
        api_config=json.dumps(config, ensure_ascii=False),
        selectors=json.dumps(record.get("selectors") or {}, ensure_ascii=False),
    )


def engine_record(sent: Mapping[str, Any], before: Asked | None = None) -> Json:
    """The record of an engine from a partial shape; what was not sent, or was shown masked, stays as before."""
    kept: Json = shown_options(before.record) if before else {}
    given = {name: value for name, value in sent.items() if value is not None}
    config, selectors = (
        json_object(given.pop(name) or "{}", name, "bad_engine") if name in given else None
        for name in ("api_config", "selectors")
    )
    if taken := sorted(_APART & set(config or {})):
        raise ConfigError(f"{taken[0]} does not belong into api_config: it has a field of its own.", code="bad_engine")
    if config is not None:
        kept = {name: value for name, value in kept.items() if name in _APART} | config
    if selectors is not None:
        kept |= {"selectors": selectors or None}
    return as_it_was(kept | given, before)


@operation("read")
def _list_dossiers(place: Place, _: Arguments) -> list[DossierName]:
    """The dossiers that can be used, by name."""
    return list(map(DossierName.showing, place.access.dossiers()))


@operation("read")
def _list_categories(place: Place, _: Arguments) -> list[ReadyMades]:
    """Ready-made sources by category."""
    found: dict[str, list[ReadyMade]] = {}
    for entry in place.services.catalogue.entries():
        kind, interval = TYPES.get(entry.kind, entry.kind), duration_ms(entry.every)
        one = ReadyMade.showing(entry, source_type=kind, fetch_interval=interval)
        found.setdefault(entry.category, []).append(one)
    return [ReadyMades(category=category, sources=sources) for category, sources in found.items()]


@operation("write")
def _populate(place: Place, given: Category) -> Populated:
    """Watch all ready-made sources of a category; what is watched already stays as it is."""
    poured = place.services.catalogue.pour(place.dossier_id, given.category)
    added = sum(one.added for one in poured)
    return Populated(category=given.category, added=added, skipped=len(poured) - added)


@operation("read")
def _list_engines(place: Place, _: InDossier) -> list[Engine]:
    """The search engines that questions of a dossier can ask."""
    return list(map(engine_shape, place.services.catalogue.engines(place.dossier_id).values()))


@operation("write")
def _enable_engine(place: Place, given: EnableEngine) -> Engine:
    """Switch a search engine of a dossier on or off."""
    catalogue = place.services.catalogue
    return engine_shape(catalogue.set_engine_enabled(place.dossier_id, given.engine_id, enabled=given.enabled))
