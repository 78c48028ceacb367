"""Adding, changing and removing sources: checked here once, for every interface."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from veille.core.fingerprint import uuid7
from veille.core.kinds import BRIDGE, Kind, kind_of
from veille.core.models import Json, Source, State
from veille.core.repair import Repair, proposals
from veille.core.schedule import HOUR, MAX_INTERVAL, MIN_INTERVAL
from veille.core.secrets import IN_ADDRESS, is_in_address
from veille.errors import ConfigError

if TYPE_CHECKING:
    from veille.ports import Clock, Dossiers

MAX_NAME = 512
_FEED_ENDINGS = (".rss", ".atom", ".rdf", ".xml", "/feed", "/rss", "/atom", "/feeds")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What somebody wants watched."""

    url: str
    kind: str = ""
    name: str = ""
    interval_ms: int = HOUR
    config: Json | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What is to become of a source; what is None stays as it is."""

    name: str | None = None
    url: str | None = None
    interval_ms: int | None = None
    enabled: bool | None = None
    config: Json | None = None


class SourceService:
    """The sources of any dossier."""

    def __init__(self, dossiers: Dossiers, clock: Clock, bridges: Collection[str] = ()) -> None:
        self._dossiers = dossiers
        self._clock = clock
        #: The kinds that outside services bring.
        self._bridges = bridges

    def add(self, dossier_id: str, wish: Wish) -> Source:
        """Start watching something; it is due at once."""
        now = self._clock()
        kind = wish.kind or likely_kind(wish.url)
        reader = self._kind(kind, wish.config or {})
        url = _address(reader, wish.url)
        name = wish.name or url.partition("://")[2]
        check(name, wish.interval_ms)
        source = Source(
            id=uuid7(now, dossier_id, url),
            name=name[:MAX_NAME],
            kind=kind,
            url=url,
            config=reader.config.model_dump(mode="json", exclude_unset=True),
            interval_ms=wish.interval_ms,
            created_at=now,
            updated_at=now,
        )
        with self._dossiers.open(dossier_id) as store:
            store.sources.add(source, list(reader.start(source)))
        return source

    def _kind(self, name: str, config: Json) -> Kind:
        if name == BRIDGE:
            known = ", ".join(sorted(self._bridges)) or "none yet; the operator names services in [bridges.NAME]"
            raise ConfigError(f"Use the name of the service as the kind; there are: {known}.", code="no_bridge")
        return kind_of(BRIDGE if name in self._bridges else name, config)

    def all(self, dossier_id: str) -> list[Source]:
        with self._dossiers.open(dossier_id) as store:
            return store.sources.all()

    def find(self, dossier_id: str, name_or_id: str) -> Source:
        with self._dossiers.open(dossier_id) as store:
            return store.sources.find(name_or_id)

    def set_enabled(self, dossier_id: str, name_or_id: str, *, enabled: bool) -> Source:
        """Pause a source or let it go on; nothing it has waiting is lost."""
        return self.update(dossier_id, name_or_id, Edit(enabled=enabled))

    def update(self, dossier_id: str, name_or_id: str, edit: Edit) -> Source:
        """Change a source. At another address, or read differently, it begins anew; what it brought stays."""
        with self._dossiers.open(dossier_id) as store:
            old = store.sources.find(name_or_id)
            new = replace(old, enabled=old.enabled if edit.enabled is None else edit.enabled, updated_at=self._clock())
            if edit.name is not None or edit.interval_ms is not None:
                new = replace(new, name=edit.name or old.name, interval_ms=edit.interval_ms or old.interval_ms)
                check(new.name, new.interval_ms)
            if edit.interval_ms is not None:
                new = replace(new, original_interval_ms=None)
            requests = None
            if edit.url is not None or edit.config is not None:
                kind = self._kind(old.kind, old.config if edit.config is None else edit.config)
                new = _anew(new, kind, edit)
                requests = list(kind.start(new))
            store.sources.update(new, requests)
        return new

    def delete(self, dossier_id: str, name_or_id: str) -> Source:
        with self._dossiers.open(dossier_id) as store:
            source = store.sources.find(name_or_id)
            store.sources.delete(source.id)
        return source

    def repairs(self, dossier_id: str) -> list[Repair]:
        """What the repair rules propose; nothing is changed."""
        with self._dossiers.open(dossier_id) as store:
            return [
                repair for source in store.sources.all() for repair in proposals(source, store.runs.history(source.id))
            ]


def _address(kind: Kind, url: str) -> str:
    if is_in_address(url):
        raise ConfigError(f"{url[:120]}: {IN_ADDRESS}.", code="secret_in_url")
    return kind.address(url)


def _anew(source: Source, kind: Kind, edit: Edit) -> Source:
    """The source at the address and with the options of the edit; failures at another address count no more."""
    url = source.url if edit.url is None else _address(kind, edit.url)
    config = kind.config.model_dump(mode="json", exclude_unset=True)
    if url == source.url:
        return replace(source, config=config)
    return replace(source, url=url, config=config, state=State.PENDING, failures=0, error_code="", error="")


def likely_kind(url: str) -> str:
    """The kind an address looks like; `--kind` overrules it."""
    if url.startswith(("/", "file:")) and url.endswith("/"):
        return "folder"
    path = url.partition("?")[0].rstrip("/").lower()
    if "sitemap" in path.rpartition("/")[2] and path.endswith((".xml", ".xml.gz")):
        return "site"
    return "feed" if path.endswith(_FEED_ENDINGS) else "page"


def check(name: str, interval_ms: int) -> None:
    """ConfigError when a source cannot be called so, or looked at so often."""
    if not name.isprintable() or len(name) > MAX_NAME:
        raise ConfigError(f"A source's name has at most {MAX_NAME} printable characters.", code="bad_name")
    if not MIN_INTERVAL <= interval_ms <= MAX_INTERVAL:
        raise ConfigError("The interval must lie between 1 minute and 7 days.", code="bad_interval")
