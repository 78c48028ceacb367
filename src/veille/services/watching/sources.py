"""Adds, changes and removes sources: the checks of all interfaces are here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING

from veille.core.archive.retention import refuse_to_archive
from veille.core.change.cron import next_cron
from veille.core.change.next_check import next_check
from veille.core.change.source_patch import asked_alike, begun_anew
from veille.core.fingerprint import uuid7
from veille.core.http.credentials import hidden, refuse_to_hand_over, unhidden
from veille.core.kinds import BRIDGE, Kind, kind_of
from veille.core.models import Json, Request, Source
from veille.core.pick.identity import part_key
from veille.core.report.muting import MUTES, muted_until
from veille.core.schedule import HOUR, MAX_INTERVAL, MIN_INTERVAL
from veille.core.urls import scheme_of
from veille.errors import ConfigError

if TYPE_CHECKING:
    from veille.ports import Dossiers, DossierStore
    from veille.services.house import House

MAX_NAME = 512
_FEED_ENDINGS = (".rss", ".atom", ".rdf", ".xml", "/feed", "/rss", "/atom", "/feeds")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A source to add."""

    url: str
    kind: str = ""
    name: str = ""
    interval_ms: int = HOUR
    #: Times of its checks, as a cron expression, instead of the interval.
    cron: str = ""
    #: Whether the interval is only the initial one: a source that changes often is checked more often.
    adaptive: bool = False
    config: Json | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceEdit:
    """Changes to a source; None leaves a field unchanged."""

    name: str | None = None
    url: str | None = None
    interval_ms: int | None = None
    cron: str | None = None
    adaptive: bool | None = None
    enabled: bool | None = None
    #: Options to set, and options to reset to their defaults.
    options: Json | None = None
    unset: tuple[str, ...] = ()


class SourceService:
    """The sources of any dossier."""

    def __init__(self, dossiers: Dossiers, house: House) -> None:
        self._dossiers = dossiers
        self._house = house
        self._clock = house.clock
        self._made_before = count()

    def add(self, dossier_id: str, wish: Wish) -> Source:
        """Add a source; it is due at once."""
        (added,) = self.add_many(dossier_id, [wish])
        if isinstance(added, ConfigError):
            raise added
        return added

    def add_many(self, dossier_id: str, wishes: Iterable[Wish]) -> list[Source | ConfigError]:
        """Add many sources, in a few transactions; the results are in the same order."""
        now = self._clock()
        out: list[Source | ConfigError] = []
        starts: dict[int, list[Request]] = {}
        for place, wish in enumerate(wishes):
            try:
                source, starts[place] = self._made(dossier_id, wish, now, place)
            except ConfigError as error:
                out.append(error)
            else:
                out.append(source)
        with self._dossiers.open(dossier_id) as store:
            self._save(store, out, starts)
        return out

    def _save(self, store: DossierStore, out: list[Source | ConfigError], starts: dict[int, list[Request]]) -> None:
        """Save as many as the quota allows; the others are replaced by the reason."""
        room = self._room(store)
        for place in starts:
            try:
                _check_archive(store, out[place])
            except ConfigError as error:
                out[place] = error
        waiting = [place for place in starts if isinstance(out[place], Source)]
        while waiting and room > 0:
            batch, waiting = waiting[:room], waiting[room:]
            pairs = [(source, starts[place]) for place in batch if isinstance(source := out[place], Source)]
            for place, problem in zip(batch, store.sources.add_many(pairs), strict=True):
                out[place] = problem or out[place]
                room -= problem is None
        for place in waiting:
            out[place] = self._full()

    def refuse_if_full(self, store: DossierStore) -> None:
        """ConfigError if a dossier may have no further source."""
        if self._room(store) <= 0:
            raise self._full()

    def _room(self, store: DossierStore) -> int:
        return self._house.max_sources - store.sources.count()

    def _full(self) -> ConfigError:
        return ConfigError(
            f"A dossier has at most {self._house.max_sources} sources; delete some, use another dossier, or let "
            "the operator raise quotas.sources.",
            code="quota_sources",
        )

    def _made(self, dossier_id: str, wish: Wish, now: int, place: int) -> tuple[Source, list[Request]]:
        kind = wish.kind or likely_kind(wish.url)
        reader, url = self.admit(replace(wish, kind=kind))
        reader.check()
        name = wish.name or url.partition("://")[2]
        config = reader.config.model_dump(mode="json", exclude_unset=True)
        # Parts of one page may be added in the same millisecond, and a page again that was just removed.
        distinct = part_key(config), str(next(self._made_before))
        source = Source(
            # Sources that were added together are listed by id: keep their order.
            id=uuid7(now + place, dossier_id, url, *distinct),
            name=name[:MAX_NAME],
            kind=kind,
            url=url,
            config=config,
            interval_ms=wish.interval_ms,
            cron=wish.cron,
            pace_ms=wish.interval_ms if wish.adaptive else None,
            created_at=now,
            updated_at=now,
        )
        return source, self._start(reader, source)

    def admit(self, wish: Wish) -> tuple[Kind, str]:
        """The kind that reads it, and its address; ConfigError if it cannot be watched."""
        reader = self.reader(wish.kind, wish.config or {})
        url = self._address(reader, wish.url)
        check(wish.name or url.partition("://")[2], wish.interval_ms)
        if wish.cron:
            next_cron(wish.cron, self._clock())
        return reader, url

    def vet(self, source: Source) -> None:
        """ConfigError if a source could not be added today; it may come from a backup, a repair or older settings."""
        wish = Wish(
            url=source.url,
            kind=source.kind,
            name=source.name,
            interval_ms=source.interval_ms,
            cron=source.cron,
            config=source.config,
        )
        reader, _ = self.admit(wish)
        self._start(reader, source)

    def edit(self, dossier_id: str, name_or_id: str, edit: SourceEdit) -> Source:
        """Change what is given and nothing else; options are checked as when adding.

        If its requests or the way it is read change, it starts afresh.
        """
        now = self._clock()
        with self._dossiers.open(dossier_id) as store, store.writing():
            before = store.sources.find(name_or_id)
            source = replace(_rescheduled(before, edit), updated_at=now)
            reader = self.reader(before.kind, _edited(before, edit))
            source = replace(
                source,
                name=before.name if edit.name is None else edit.name,
                url=before.url if edit.url is None else self._address(reader, edit.url),
                enabled=before.enabled if edit.enabled is None else edit.enabled,
                config=reader.config.model_dump(mode="json", exclude_unset=True),
            )
            _check_name(edit.name)
            if source.config.get("retention") != before.config.get("retention"):
                _check_archive(store, source)
            check(source.name, source.interval_ms)
            if edit.enabled:
                self.vet(source)
            known = before.config.get("headers") or {}
            refuse_to_hand_over(known, _shown_headers(known, edit), before.url, source.url)
            is_same_place, is_alike = source.url == before.url, asked_alike(source, before)
            if not is_alike and source.config != before.config:
                reader.check()
            if not is_alike:
                source = replace(begun_anew(source), rhythm=source.rhythm if is_same_place else None)
            is_another = (source.url, source.config) != (before.url, before.config)
            store.sources.update(source, self._start(reader, source) if is_another else None)
            if not is_alike:
                # With another address, the requests found at the old one keep their schedule.
                store.sources.retime(source.id, now, step=source.interval_ms if is_same_place else None)
            elif _turns(source) != _turns(before):
                store.sources.retime(source.id, next_check(source, now, source.id), step=source.interval_ms)
        return source

    def reader(self, name: str, config: Json) -> Kind:
        """The kind of that name with these options, validated."""
        if name == BRIDGE:
            known = ", ".join(sorted(self._house.bridges)) or "none yet; the operator names services in [bridges.NAME]"
            raise ConfigError(f"Use the name of the service as the kind; there are: {known}.", code="no_bridge")
        if name in self._house.bridges:
            self._house.bridges.vet(name, config)
            return kind_of(BRIDGE, config)
        return kind_of(name, config)

    def _address(self, reader: Kind, text: str) -> str:
        """The address to watch; ConfigError if it cannot be. Addresses for outside services are not checked here."""
        url = reader.address(text)
        if reader.fetches_address:
            # Verbatim: an address that would have to be corrected first is not relied on.
            self.refuse_unreachable(text.strip() if scheme_of(text) in {"http", "https"} else url)
        return url

    def _start(self, reader: Kind, source: Source) -> list[Request]:
        """Its first requests; further addresses in its options are checked like its own."""
        requests = list(reader.start(source))
        if source.kind not in self._house.bridges:
            for request in requests:
                self.refuse_unreachable(request.url)
        return requests

    def refuse_unreachable(self, url: str) -> None:
        """ConfigError for an address that cannot be fetched, or that the operator's rules forbid."""
        self._house.judge(url).enforce()

    def all(self, dossier_id: str) -> list[Source]:
        with self._dossiers.open(dossier_id) as store:
            return store.sources.all()

    def find(self, dossier_id: str, name_or_id: str) -> Source:
        with self._dossiers.open(dossier_id) as store:
            return store.sources.find(name_or_id)

    def make_due(self, dossier_id: str, source_id: str) -> int:
        """Make everything that a source checks due now; returns the time."""
        now = self._clock()
        self._house.arm(self._dossiers.find(dossier_id).id, now, [source_id])
        return now

    def set_enabled(self, dossier_id: str, name_or_id: str, *, enabled: bool) -> Source:
        """Pause or resume a source; its waiting requests are kept."""
        with self._dossiers.open(dossier_id) as store:
            source = replace(store.sources.find(name_or_id), enabled=enabled, updated_at=self._clock())
            if enabled:
                self.vet(source)
            store.sources.update(source)
        return source

    def mute(self, dossier_id: str, name_or_id: str, word: str) -> tuple[Source, int]:
        """Mute a source for a `day`, a `week` or for `good`, or `off`: no longer; returns until when.

        It is checked as before. What changes until then counts as read, and no rule fires on it.
        """
        if word not in {*MUTES, "off"}:
            raise ConfigError(f"A source is muted for: {', '.join(MUTES)}; or off.", code="bad_option")
        until = muted_until(word, self._clock())
        with self._dossiers.open(dossier_id) as store:
            source = store.sources.find(name_or_id)
            store.sources.mute(source.id, until)
        return source, until

    def delete(self, dossier_id: str, name_or_id: str, *, for_good: bool = False) -> Source:
        """Delete a source; unless `for_good`, it can be restored for some days, see `services.watching.trash`."""
        with self._dossiers.open(dossier_id) as store:
            source = store.sources.find(name_or_id)
            if for_good:
                store.sources.delete(source.id, self._clock())
            else:
                store.trash.put(source.id, self._clock())
        return source


def likely_kind(url: str) -> str:
    """The kind that an address suggests; `--kind` overrides it."""
    if url.startswith(("/", "file:")) and url.endswith("/"):
        return "folder"
    path = url.partition("?")[0].rstrip("/").lower()
    if "sitemap" in path.rpartition("/")[2] and path.endswith((".xml", ".xml.gz")):
        return "site"
    return "feed" if path.endswith(_FEED_ENDINGS) else "page"


def _edited(before: Source, edit: SourceEdit) -> Json:
    """The options after the edit; headers that were shown masked keep their values."""
    config = {**before.config, **(edit.options or {})}
    if isinstance(config.get("headers"), dict):
        config["headers"] = unhidden(config["headers"], before.config.get("headers") or {})
    return {name: value for name, value in config.items() if name not in edit.unset}


def _shown_headers(known: dict[str, str], edit: SourceEdit) -> Json:
    """The headers as the author of the edit knows them."""
    headers: Json = (edit.options or {}).get("headers", {} if "headers" in edit.unset else hidden(known))
    return headers


def _turns(source: Source) -> tuple[int, str, int | None]:
    return source.interval_ms, source.cron, source.pace_ms


def _rescheduled(source: Source, edit: SourceEdit) -> Source:
    """Apply the schedule of the edit (cron, interval or adaptive; the last one given counts), which ends a back-off."""
    if edit.cron is not None:
        if edit.cron:
            next_cron(edit.cron, source.updated_at)
        source = replace(source, cron=edit.cron, pace_ms=None)
    if edit.interval_ms is not None:
        pace = None if source.pace_ms is None else edit.interval_ms
        source = replace(source, interval_ms=edit.interval_ms, original_interval_ms=None, cron="", pace_ms=pace)
    if edit.adaptive is not None:
        source = replace(source, cron="", pace_ms=source.interval_ms if edit.adaptive else None)
    return source


def _check_name(name: str | None) -> None:
    if name is not None and not name.strip():
        raise ConfigError("A source has a name: write one.", code="bad_name")


def _check_archive(store: DossierStore, source: Source | ConfigError) -> None:
    """ConfigError if it would have revisions archived, and archive files have no place."""
    if isinstance(source, Source) and (rule := source.config.get("retention")) and not store.retained.can_archive():
        refuse_to_archive(rule)


def check(name: str, interval_ms: int) -> None:
    """ConfigError for a bad name or interval."""
    if not name.isprintable() or len(name) > MAX_NAME:
        raise ConfigError(f"A source's name has at most {MAX_NAME} printable characters.", code="bad_name")
    if not MIN_INTERVAL <= interval_ms <= MAX_INTERVAL:
        raise ConfigError("The interval must lie between 1 minute and 7 days.", code="bad_interval")
