"""Apply a repair rule's change to a source, and compute the change that undoes it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from veille.core.models import Json, Source, State

#: The fields that a change may set, besides options.
FIELDS = frozenset({"url", "interval_ms", "original_interval_ms", "enabled", "state"})
#: Options that affect neither the request nor how the answer is read.
_ASIDE = frozenset({"delay_s", "robots_reason", "folders", "tags"})


def repaired(source: Source, change: Json) -> Source:
    """The source with a change applied."""
    given: dict[str, Any] = {name: value for name, value in change.items() if name in FIELDS}
    if "state" in given:
        given["state"] = State(given["state"])
    config = {**source.config, **change.get("config", {})}
    return replace(source, **given, config={name: value for name, value in config.items() if value is not None})


def current(source: Source, change: Json) -> Json:
    """The current values of what the change would set: applied later, they undo it."""
    found: Json = {name: getattr(source, name) for name in change if name in FIELDS}
    if "state" in found:
        found["state"] = str(found["state"])
    if "config" in change:
        found["config"] = {name: source.config.get(name) for name in change["config"]}
    return found


def asked_alike(one: Source, other: Source) -> bool:
    """Whether both send the same requests and read the answers alike, perhaps at another speed."""
    return (one.url, _telling(one.config)) == (other.url, _telling(other.config))


def _telling(config: Json) -> Json:
    return {name: value for name, value in config.items() if name not in _ASIDE}


def well(source: Source) -> Source:
    """The source with its failures reset."""
    return replace(source, state=State.PENDING, failures=0, error_code="", error="", moved_to="", moved_seen=0)


def begun_anew(source: Source) -> Source:
    """The source with its failures and its back-off reset."""
    if source.original_interval_ms is None:
        return well(source)
    return replace(well(source), interval_ms=source.original_interval_ms, original_interval_ms=None)
