"""What administrators offer to all dossiers: search engines and ready-made sources.

    offers.engines(access)                      [(Engine, Offer | None)]; None: unchanged, as shipped with the program
    offers.engine(access, engine_id)            Engine, or NotFoundError
    offers.add_engine(access, record)           Engine; its id must be free
    offers.put_engine(access, record)           Engine; questions that use it switch to the new definition
    offers.set_engine_enabled(access, engine_id, enabled=True)
    offers.delete_engine(access, engine_id)
    offers.entries(access)                      [(Entry, Offer | None)], by category and name
    offers.entry(access, entry_id), .find_entry(access, text)
    offers.add_entry(access, entry)             Entry, with a new id
    offers.edit_entry(access, entry)
    offers.delete_entry(access, entry_id)

For administrators only. What is shipped with the program can be changed and deleted like the rest; adding an engine of
the same id brings it back. A dossier's own engines are not affected and take precedence.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from veille.core.discover import catalogue
from veille.core.discover.engines import SearchEngine, engine_of
from veille.core.fingerprint import uuid7
from veille.core.urls import url_key
from veille.errors import ConfigError, NotFoundError, StoreError
from veille.services.watching.catalogue import SOURCE, wish_of
from veille.services.watching.questions import ENGINE, chosen_engine, known_engines, renew_questions
from veille.services.watching.sources import SourceService

if TYPE_CHECKING:
    from veille.core.discover.catalogue import CatalogueEntry, Offer
    from veille.core.models import Json
    from veille.ports import Clock, Dossiers, Offers
    from veille.services.people.access import Access

MAX_CATEGORY = 100
MAX_DESCRIPTION = 2000


class OfferService:
    """The offers to all dossiers."""

    def __init__(self, dossiers: Dossiers, sources: SourceService, offers: Offers, clock: Clock) -> None:
        self._dossiers = dossiers
        self._sources = sources
        self._offers = offers
        self._clock = clock

    def engines(self, access: Access) -> list[tuple[SearchEngine, Offer | None]]:
        """All engines, by name."""
        access.require_admin()
        offers = self._offers.all(ENGINE)
        found = sorted(catalogue.engines(offers).values(), key=lambda engine: (engine.name, engine.id))
        return [(engine, offers.get(engine.id)) for engine in found]

    def engine(self, access: Access, engine_id: str) -> SearchEngine:
        access.require_admin()
        return chosen_engine(catalogue.engines(self._offers.all(ENGINE)), engine_id)

    def set_engine_enabled(self, access: Access, engine_id: str, *, enabled: bool) -> SearchEngine:
        """Switch an engine on or off, for dossiers that do not replace it by their own."""
        engine = self.engine(access, engine_id)
        return self.put_engine(access, engine.record | {"enabled": enabled})

    def add_engine(self, access: Access, record: Json) -> SearchEngine:
        """Offer a new engine; its id must be free."""
        if record.get("id") in {engine.id for engine, _ in self.engines(access)}:
            raise ConfigError(f"There is an engine {record['id']!r} already.", code="engine_exists")
        return self.put_engine(access, record)

    def put_engine(self, access: Access, record: Json) -> SearchEngine:
        """Offer an engine; replaces the one of that id."""
        access.require_admin()
        engine = engine_of(record)
        if engine.enabled:
            self._sources.refuse_unreachable(engine.url_template)
        self._offers.put(ENGINE, engine.id, engine.record, self._clock())
        access.log("engine.put", engine=engine.id)
        self.renew()
        return engine

    def delete_engine(self, access: Access, engine_id: str) -> None:
        """Stop offering an engine; questions that use it keep their copy."""
        engine = self.engine(access, engine_id)
        self._drop(ENGINE, engine.id, comes_along=engine.id in catalogue.engines())
        access.log("engine.delete", engine=engine.id)

    def entries(self, access: Access) -> list[tuple[CatalogueEntry, Offer | None]]:
        """All entries, by category and name, including those that are disabled."""
        access.require_admin()
        offers = self._offers.all(SOURCE)
        found = sorted(catalogue.entries(offers).values(), key=lambda entry: (entry.category, entry.name))
        return [(entry, offers.get(entry.id)) for entry in found]

    def entry(self, access: Access, entry_id: str) -> CatalogueEntry:
        for entry, _ in self.entries(access):
            if entry.id == entry_id:
                return entry
        raise NotFoundError("There is no such ready-made source.", code="no_entry")

    def find_entry(self, access: Access, text: str) -> CatalogueEntry:
        """The entry of that id, address or name; an ambiguous name is an error."""
        found = [entry for entry, _ in self.entries(access) if text in {entry.id, entry.url, entry.name}]
        if len(found) > 1:
            ids = ", ".join(entry.id for entry in found)
            raise ConfigError(
                f"Several ready-made sources are called {text!r}: give an id: {ids}.", code="ambiguous_entry"
            )
        return self.entry(access, found[0].id if found else text)

    def add_entry(self, access: Access, entry: CatalogueEntry) -> CatalogueEntry:
        """Offer a source; it gets a new id."""
        access.require_admin()
        return self._put_entry(access, replace(entry, id=uuid7(self._clock(), entry.url, secrets.token_hex(8))))

    def edit_entry(self, access: Access, entry: CatalogueEntry) -> CatalogueEntry:
        """Change an entry; dossiers that watch it already are not affected."""
        self.entry(access, entry.id)
        return self._put_entry(access, entry)

    def delete_entry(self, access: Access, entry_id: str) -> None:
        """Stop offering an entry; dossiers that watch it are not affected."""
        entry = self.entry(access, entry_id)
        self._drop(SOURCE, entry.id, comes_along=entry.id in catalogue.entries())
        access.log("entry.delete", entry=entry.id, url=entry.url)

    def _put_entry(self, access: Access, entry: CatalogueEntry) -> CatalogueEntry:
        reader, _ = self._sources.admit(wish_of(entry))
        reader.check()
        if len(entry.category) > MAX_CATEGORY or len(entry.description) > MAX_DESCRIPTION:
            raise ConfigError(
                f"A category has at most {MAX_CATEGORY} characters, a description {MAX_DESCRIPTION}.", code="bad_name"
            )
        for other, _ in self.entries(access):
            if other.id != entry.id and url_key(other.url) == url_key(entry.url):
                raise ConfigError(f"{other.name} has this address already.", code="entry_exists")
        record = {name: value for name, value in asdict(entry).items() if name != "id"}
        self._offers.put(SOURCE, entry.id, record, self._clock())
        access.log("entry.put", entry=entry.id, url=entry.url)
        return entry

    def _drop(self, kind: str, offer_id: str, *, comes_along: bool) -> None:
        if comes_along:
            self._offers.put(kind, offer_id, None, self._clock())
        else:
            self._offers.delete(kind, offer_id)

    def renew(self) -> None:
        """Let questions use the engines as they are now."""
        now = self._clock()
        for dossier in self._dossiers.all():
            # A dossier that cannot be opened asks no engine; its questions are renewed with its next change.
            with suppress(StoreError, NotFoundError), self._dossiers.open(dossier.id) as store:
                renew_questions(store, known_engines(store, self._offers), now)
