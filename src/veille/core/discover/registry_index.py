"""The index of a registry: ready-made sources and engines that others keep, as data that is checked first."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, fields
from typing import Any

from veille.core.discover.catalogue import CatalogueEntry, entry_id
from veille.core.discover.engines import engine_of
from veille.core.models import Json
from veille.errors import ConfigError

#: Of an index that this version reads.
FORMAT = 1
_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,63}")
_MOST_RECORDS = 5000
_MOST_TEXT = 2000
#: Kinds that read only what is at a public address: no folder of this machine, no outside service.
_KINDS = frozenset({"page", "feed", "site", "api"})
#: Options that act on a page, instead of reading it.
_REFUSED_OPTIONS = frozenset({"steps", "login"})
_FIELDS = frozenset(field.name for field in fields(CatalogueEntry)) - {"id"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistryIndex:
    """What a registry offers, by the kind of offer and its id."""

    name: str
    #: Grows with every edition; 0: a folder, which has none.
    number: int
    sources: dict[str, Json]
    engines: dict[str, Json]


def index_of(body: bytes) -> RegistryIndex:
    """The index in a file; ConfigError `registry.format` or `registry.content` if any part of it is not right."""
    value = parsed(body, "the index")
    if value.get("format") != FORMAT:
        raise _unreadable(f"its format is not {FORMAT}; a newer version of veille may read it")
    number = value.get("number")
    if type(number) is not int or not 0 < number < 2**53:
        raise _unreadable("it has no `number` above 0")
    return collected(str(value.get("name")), number, value.get("sources", []), value.get("engines", []))


def collected(name: str, number: int, sources: Any, engines: Any) -> RegistryIndex:
    """An index of these records."""
    if not _NAME.fullmatch(name):
        raise _unreadable("its `name` is not made of small letters, digits, _, - and .")
    if not isinstance(sources, list) or not isinstance(engines, list) or len(sources) + len(engines) > _MOST_RECORDS:
        raise _unreadable(f"`sources` and `engines` are not lists of at most {_MOST_RECORDS} together")
    return RegistryIndex(
        name=name,
        number=number,
        sources=_unique((_source(record) for record in sources), "source"),
        engines=_unique((_engine(record) for record in engines), "engine"),
    )


def parsed(body: bytes, what: str) -> Json:
    """The JSON object in a file; ConfigError `registry.format` if there is none."""
    try:
        value = json.loads(body, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise _unreadable(f"{what} is no JSON") from error
    if not isinstance(value, dict):
        raise _unreadable(f"{what} is no JSON object")
    return value


def entry_of(offer_id: str, record: Json) -> CatalogueEntry:
    """The entry of a stored record."""
    return CatalogueEntry(**(record | {"id": offer_id}))


def refused(what: str, why: object) -> ConfigError:
    """The error for a record that must not be used."""
    return ConfigError(f"Nothing is taken from the registry: {what}: {why}", code="registry.content")


def _source(record: Any) -> tuple[str, Json]:
    if not isinstance(record, dict) or not {"name", "url", "kind", "category"} <= set(record) <= _FIELDS:
        raise refused(
            "a source", "it needs name, url, kind and category, and may have every, config, description, enabled"
        )
    name = str(record["name"])[:100]
    if record["kind"] not in _KINDS:
        raise refused(name, f"its kind is none of {', '.join(sorted(_KINDS))}")
    config, enabled = record.get("config", {}), record.get("enabled", True)
    if not isinstance(config, dict) or not isinstance(enabled, bool) or _REFUSED_OPTIONS & set(config):
        raise refused(name, "its options are not data that is only read")
    texts = {
        key: record.get(key, "1h" if key == "every" else "")
        for key in ("name", "url", "category", "every", "description")
    }
    for key, text in texts.items():
        if not isinstance(text, str) or len(text) > _MOST_TEXT or not text.isprintable():
            raise refused(name, f"{key} is no text that can be shown")
    entry = CatalogueEntry(id=entry_id(texts["url"]), kind=record["kind"], config=config, enabled=enabled, **texts)
    return entry.id, {key: value for key, value in asdict(entry).items() if key != "id"}


def _engine(record: Any) -> tuple[str, Json]:
    if not isinstance(record, dict):
        raise refused("an engine", "it is no object")
    try:
        engine = engine_of(record)
    except ConfigError as error:
        raise refused(str(record.get("id"))[:100], error) from error
    return engine.id, engine.record


def _unique(records: Any, what: str) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for offer_id, record in records:
        if offer_id in found:
            raise refused(str(record.get("name"))[:100], f"there is another {what} of the same address or id")
        found[offer_id] = record
    return found


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number")


def _unreadable(why: str) -> ConfigError:
    return ConfigError(f"Nothing is taken from the registry: {why}.", code="registry.format")
