"""Standing questions: put to search engines at every scheduled check, with the number of results over time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from veille.core.discover.catalogue import engines as offered_engines
from veille.core.discover.engines import SearchEngine, engine_of
from veille.core.fingerprint import raw_hash
from veille.core.kinds import kind_of
from veille.core.models import Json, Source
from veille.core.report.figures import Count, carried
from veille.core.schedule import DAY
from veille.errors import ConfigError, NotFoundError
from veille.services.watching.sources import SourceEdit, SourceService, Wish

if TYPE_CHECKING:
    from collections.abc import Mapping

    from veille.ports import Clock, Dossiers, DossierStore, Offers

KIND = "question"
#: The kind of engines among the offers.
ENGINE = "engine"
_NAME_CHARS = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """A question to add: its text, keywords for the engines if they differ, and the engines (`channels`)."""

    text: str
    keywords: str = ""
    channels: tuple[str, ...] = ()
    interval_ms: int = DAY
    max_results: int = 20
    follow_links: bool = True
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingEdit:
    """Changes to a question; None leaves a field unchanged."""

    text: str | None = None
    keywords: str | None = None
    channels: tuple[str, ...] | None = None
    interval_ms: int | None = None
    max_results: int | None = None
    follow_links: bool | None = None
    enabled: bool | None = None


class QuestionService:
    """The questions of any dossier. A question is a source of kind `question`, with the same id."""

    def __init__(self, dossiers: Dossiers, sources: SourceService, offers: Offers, clock: Clock) -> None:
        self._dossiers = dossiers
        self._sources = sources
        self._offers = offers
        self._clock = clock

    def add(self, dossier_id: str, asking: Asking) -> Source:
        """Add a question; it is due at once."""
        with self._dossiers.open(dossier_id) as store:
            engines = known_engines(store, self._offers)
        config: Json = {
            "text": asking.text,
            "keywords": asking.keywords,
            "channels": list(asking.channels),
            "engines": _records(engines, asking.channels),
            "max_results": asking.max_results,
            "follow_links": asking.follow_links,
        }
        if not asking.channels:
            able = ", ".join(engine.id for engine in engines.values() if engine.enabled)
            raise ConfigError(
                f"A question needs at least one search engine to ask, named with --channel: {able}. `veille engines` "
                "shows what each of them needs.",
                code="no_engine",
            )
        name = _cut(asking.name) if asking.name else _name(asking.text)
        wish = Wish(url=_address(config), kind=KIND, name=name, interval_ms=asking.interval_ms, config=config)
        return self._sources.add(dossier_id, wish)

    def update(self, dossier_id: str, name_or_id: str, edit: AskingEdit) -> Source:
        """Change a question; what it found stays."""
        source = self.find(dossier_id, name_or_id)
        told: Json = {name: getattr(edit, name) for name in ("text", "keywords", "max_results", "follow_links")}
        config = source.config | {key: value for key, value in told.items() if value is not None}
        if edit.channels is not None:
            with self._dossiers.open(dossier_id) as store:
                engines = known_engines(store, self._offers)
            config |= {"channels": list(edit.channels), "engines": _records(engines, edit.channels)}
        is_otherwise = config != source.config
        named = source.name == _name(source.config["text"])
        return self._sources.edit(
            dossier_id,
            source.id,
            SourceEdit(
                name=_name(config["text"]) if named else None,
                url=_address(config) if is_otherwise else None,
                options=config if is_otherwise else None,
                interval_ms=edit.interval_ms,
                enabled=edit.enabled,
            ),
        )

    def delete(self, dossier_id: str, name_or_id: str) -> Source:
        """Delete a question and what it found."""
        return self._sources.delete(dossier_id, self.find(dossier_id, name_or_id).id)

    def all(self, dossier_id: str) -> list[Source]:
        return [source for source in self._sources.all(dossier_id) if source.kind == KIND]

    def find(self, dossier_id: str, name_or_id: str) -> Source:
        """Find a question by id, name or text."""
        for source in self.all(dossier_id):
            if name_or_id in {source.id, source.name, source.config["text"]}:
                return source
        raise NotFoundError(
            f"There is no question {name_or_id!r} in this dossier; `veille questions` lists them.", code="no_source"
        )

    def series(self, dossier_id: str, name_or_id: str) -> list[Count]:
        """How many results each run found, and how many were new, oldest first."""
        source = self.find(dossier_id, name_or_id)
        with self._dossiers.open(dossier_id) as store:
            return carried(store.runs.series(source.id))


def _address(config: Json) -> str:
    """The address of a question: the same words to the same engines are the same question."""
    words = (config["text"], config.get("keywords", ""), *sorted(config.get("channels", ())))
    return f"question://{raw_hash(chr(10).join(words).encode())[:32]}"


def _name(text: str) -> str:
    return _cut(f"Q: {' '.join(text.split())}")


def _cut(name: str) -> str:
    return name if len(name) <= _NAME_CHARS + 3 else f"{name[:_NAME_CHARS]}..."


def known_engines(store: DossierStore, offers: Offers) -> dict[str, SearchEngine]:
    """The engines offered to all dossiers and the dossier's own, which take precedence."""
    own = {engine_id: engine_of(record) for engine_id, record in store.engines.all().items()}
    return dict(sorted((offered_engines(offers.all(ENGINE)) | own).items()))


def chosen_engine(engines: Mapping[str, SearchEngine], engine_id: str) -> SearchEngine:
    """The engine of that id; NotFoundError lists those there are."""
    if engine_id not in engines:
        raise NotFoundError(
            f"There is no search engine {engine_id!r}; there are: {', '.join(engines)}.", code="no_engine"
        )
    return engines[engine_id]


def renew_questions(store: DossierStore, engines: Mapping[str, SearchEngine], now: int) -> None:
    """Update the engines of every question to their current definitions; a deleted one stays as it is."""
    for source in store.sources.all():
        if source.kind != KIND:
            continue
        kept: Json = source.config.get("engines", {})
        current = kept | {name: engines[name].record for name in kept if name in engines}
        if current != kept:
            changed = replace(source, config=source.config | {"engines": current}, updated_at=now)
            store.sources.update(changed, kind_of(KIND, changed.config).start(changed))


def _records(engines: Mapping[str, SearchEngine], channels: tuple[str, ...]) -> Json:
    chosen = [chosen_engine(engines, channel) for channel in channels]
    for engine in chosen:
        if not engine.enabled:
            raise ConfigError(
                f"The engine {engine.id} is switched off; `veille engines enable {engine.id}` switches it on.",
                code="engine_off",
            )
    return {engine.id: engine.record for engine in chosen}
