"""Ready-made sources and engines from registries: looked at first, taken as a whole, and undone as a whole."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from veille.core.discover import catalogue
from veille.core.discover.registry_index import entry_of, refused
from veille.core.urls import url_key
from veille.errors import ConfigError
from veille.services.watching.catalogue import SOURCE, wish_of
from veille.services.watching.questions import ENGINE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from veille.core.discover.registry_index import RegistryIndex
    from veille.core.models import Json
    from veille.ports import Clock, Offers
    from veille.ports.accounts import Accounts
    from veille.services.people.access import Access
    from veille.services.watching.offers import OfferService
    from veille.services.watching.sources import SourceService

#: What was taken from each registry, by its name.
REGISTRY = "registry"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulled:
    """What a registry brings: the names of offers that are added, changed and removed, and of those that stay."""

    registry: str
    number: int
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    #: Offers that an administrator made or changed: they are not touched.
    kept: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistryService:
    """Takes registries, for administrators. Dossiers that watch a source already are not affected."""

    offers: Offers
    offering: OfferService
    sources: SourceService
    accounts: Accounts
    load: Callable[[Path], RegistryIndex]
    clock: Clock

    def pull(self, access: Access, path: Path, *, apply: bool) -> Pulled:
        """What a registry would bring; with `apply`, take it: everything or nothing.

        ConfigError: `registry.signature`, `registry.unknown_key`, `registry.rollback` (older than what was taken),
        `registry.format` or `registry.content`, which names the record.
        """
        access.require_admin()
        index = self.load(path)
        with self.accounts.writing():
            taken = self._taken(index.name)
            if index.number and index.number < taken.get("number", 0):
                raise ConfigError(
                    f"Nothing is taken from the registry: this is edition {index.number} of {index.name}, and edition "
                    f"{taken['number']} was taken already.",
                    code="registry.rollback",
                )
            self._vet(index)
            plan = _Plan(taken.get("records", {}), self.offers)
            wanted = {SOURCE: index.sources, ENGINE: index.engines}
            for kind, records in wanted.items():
                plan.settle(kind, records)
            if apply:
                self._apply(access, index, plan)
        if apply:
            self.offering.renew()
        return plan.told(index)

    def undo(self, access: Access, name: str) -> Pulled:
        """Go back to before the last pull of a registry; ConfigError `registry.nothing_to_undo` if there was none."""
        access.require_admin()
        with self.accounts.writing():
            before = self._taken(name).get("before")
            if before is None:
                raise ConfigError(f"Nothing was taken from a registry {name!r}.", code="registry.nothing_to_undo")
            now = self.clock()
            told: dict[str, list[str]] = defaultdict(list)
            for kind, records in before["offers"].items():
                known = self.offers.all(kind)
                for offer_id, found in records.items():
                    offer = known.get(offer_id)
                    if found is None:
                        told["removed"].append(_name(offer_id, offer.record if offer else None))
                        self.offers.delete(kind, offer_id)
                    else:
                        told["changed" if offer else "added"].append(_name(offer_id, found["record"]))
                        self.offers.put(kind, offer_id, found["record"], now)
            if before["taken"] is None:
                self.offers.delete(REGISTRY, name)
            else:
                self.offers.put(REGISTRY, name, before["taken"], now)
            access.log("registry.undo", registry=name)
        self.offering.renew()
        return _pulled(name, (before["taken"] or {}).get("number", 0), told)

    def all(self, access: Access) -> dict[str, int]:
        """The registries that were taken, with their editions."""
        access.require_admin()
        return {name: int((offer.record or {})["number"]) for name, offer in self.offers.all(REGISTRY).items()}

    def _taken(self, name: str) -> Json:
        offer = self.offers.all(REGISTRY).get(name)
        return dict(offer.record) if offer is not None and offer.record else {}

    def _vet(self, index: RegistryIndex) -> None:
        """ConfigError `registry.content` for what could not be offered by hand."""
        for offer_id, record in index.sources.items():
            try:
                reader, _ = self.sources.admit(wish_of(entry_of(offer_id, record)))
                reader.check()
            except ConfigError as error:
                raise refused(record["name"], error) from error
        for offer_id, record in index.engines.items():
            try:
                self.sources.refuse_unreachable(record["url_template"])
            except ConfigError as error:
                raise refused(offer_id, error) from error

    def _apply(self, access: Access, index: RegistryIndex, plan: _Plan) -> None:
        taken, now = self._taken(index.name), self.clock()
        earlier = {key: value for key, value in taken.items() if key != "before"} or None
        for kind, records in plan.writes.items():
            for offer_id, record in records.items():
                if record is None:
                    self.offers.delete(kind, offer_id)
                else:
                    self.offers.put(kind, offer_id, record, now)
        is_news = any(plan.writes.values()) or earlier is None
        before = {"offers": plan.before, "taken": earlier} if is_news else taken.get("before")
        noted = {"number": index.number, "records": plan.records, "before": before}
        self.offers.put(REGISTRY, index.name, noted, now)
        access.log("registry.pull", registry=index.name, number=index.number)


class _Plan:
    """What is written, and what was there before."""

    def __init__(self, owned: Mapping[str, Mapping[str, Json]], offers: Offers) -> None:
        self._owned = owned
        self._offers = offers
        self.writes: dict[str, dict[str, Json | None]] = {}
        self.before: dict[str, dict[str, Any]] = {}
        #: What belongs to the registry from then on.
        self.records: dict[str, dict[str, Json]] = {}
        self._told: dict[str, list[str]] = defaultdict(list)

    def settle(self, kind: str, wanted: Mapping[str, Json]) -> None:
        """Decide about all offers of a kind."""
        stored, owned = self._offers.all(kind), self._owned.get(kind, {})
        shipped = catalogue.entries() if kind == SOURCE else catalogue.engines()
        others = {url_key(one.url): one.id for one in catalogue.entries(stored).values()} if kind == SOURCE else {}
        writes, before, records = (
            self.writes.setdefault(kind, {}),
            self.before.setdefault(kind, {}),
            self.records.setdefault(kind, {}),
        )
        for offer_id, record in wanted.items():
            there = stored.get(offer_id)
            is_theirs = there is not None and there.record != owned.get(offer_id)
            twin = others.get(url_key(record["url"]), offer_id) if kind == SOURCE else offer_id
            if is_theirs or twin != offer_id:
                self._told["kept"].append(_name(offer_id, record))
                continue
            records[offer_id] = record
            if there is None or there.record != record:
                is_known = there is not None or offer_id in shipped
                self._told["changed" if is_known else "added"].append(_name(offer_id, record))
                writes[offer_id] = record
                before[offer_id] = None if there is None else {"record": there.record}
        for offer_id in owned.keys() - wanted.keys():
            there = stored.get(offer_id)
            if there is not None and there.record == owned[offer_id]:
                self._told["removed"].append(_name(offer_id, there.record))
                writes[offer_id] = None
                before[offer_id] = {"record": there.record}

    def told(self, index: RegistryIndex) -> Pulled:
        return _pulled(index.name, index.number, self._told)


def _pulled(registry: str, number: int, told: Mapping[str, list[str]]) -> Pulled:
    return Pulled(registry=registry, number=number, **{word: tuple(sorted(names)) for word, names in told.items()})


def _name(offer_id: str, record: Json | None) -> str:
    return str((record or {}).get("name") or offer_id)
