"""The catalogue: ready-made sources by category to add to a dossier, and its search engines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from veille.core.discover.catalogue import CatalogueEntry, entries, of_category
from veille.core.discover.engines import SearchEngine, engine_of
from veille.core.models import Json
from veille.core.schedule import duration_ms
from veille.errors import ConfigError, NotFoundError
from veille.services.watching.questions import chosen_engine, known_engines, renew_questions
from veille.services.watching.sources import SourceService, Wish

if TYPE_CHECKING:
    from veille.core.models import Source
    from veille.ports import Clock, Dossiers, Offers

#: The kind of sources among the offers.
SOURCE = "source"


@dataclass(frozen=True, slots=True, kw_only=True)
class Poured:
    """The result for one entry: added, or watched already."""

    entry: CatalogueEntry
    added: bool


class CatalogueService:
    """Ready-made sources and engines. A dossier's own engine replaces an offered one of the same id."""

    def __init__(self, dossiers: Dossiers, sources: SourceService, offers: Offers, clock: Clock) -> None:
        self._dossiers = dossiers
        self._sources = sources
        self._offers = offers
        self._clock = clock

    def entries(self) -> list[CatalogueEntry]:
        """The enabled entries."""
        return [entry for entry in entries(self._offers.all(SOURCE)).values() if entry.enabled]

    def pour(self, dossier_id: str, category: str) -> list[Poured]:
        """Add every source of a category; those that are watched already stay as they are."""
        chosen = of_category(self.entries(), category)
        return [Poured(entry=entry, added=self.add(dossier_id, entry) is not None) for entry in chosen]

    def add(self, dossier_id: str, entry: CatalogueEntry) -> Source | None:
        """Watch an entry; None when it is watched already."""
        try:
            return self._sources.add(dossier_id, wish_of(entry))
        except ConfigError as error:
            if error.code != "duplicate_source":
                raise
            return None

    def engines(self, dossier_id: str) -> dict[str, SearchEngine]:
        """Every engine that the dossier can use, by id."""
        with self._dossiers.open(dossier_id) as store:
            return known_engines(store, self._offers)

    def own_engines(self, dossier_id: str) -> set[str]:
        """The ids of the engines that the dossier defines itself."""
        with self._dossiers.open(dossier_id) as store:
            return set(store.engines.all())

    def put_engine(self, dossier_id: str, record: Json) -> SearchEngine:
        """Add or change an engine; questions that use it switch to the new definition."""
        engine = engine_of(record)
        if engine.enabled:
            self._sources.refuse_unreachable(engine.url_template)
        now = self._clock()
        with self._dossiers.open(dossier_id) as store:
            store.engines.put(engine.id, engine.record, now)
            renew_questions(store, known_engines(store, self._offers), now)
        return engine

    def set_engine_enabled(self, dossier_id: str, engine_id: str, *, enabled: bool) -> SearchEngine:
        """Switch an engine on or off."""
        engine = chosen_engine(self.engines(dossier_id), engine_id)
        return self.put_engine(dossier_id, engine.record | {"enabled": enabled})

    def delete_engine(self, dossier_id: str, engine_id: str) -> int:
        """Delete one of the dossier's own engines, until it is restored; the built-in one it replaced is back.

        Returns when.
        """
        now = self._clock()
        with self._dossiers.open(dossier_id) as store:
            if engine_id not in store.engines.all():
                raise NotFoundError(f"This dossier has no engine {engine_id!r} of its own.", code="no_engine")
            store.trashed_setups.put("engine", engine_id, now)
        self.renew(dossier_id)
        return now

    def renew(self, dossier_id: str) -> None:
        """Let questions ask the engines that the dossier has now."""
        with self._dossiers.open(dossier_id) as store:
            renew_questions(store, known_engines(store, self._offers), self._clock())


def wish_of(entry: CatalogueEntry) -> Wish:
    """The source that an entry describes."""
    every = duration_ms(entry.every)
    return Wish(url=entry.url, kind=entry.kind, name=entry.name, interval_ms=every, config=entry.config)
