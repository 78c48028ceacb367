"""What a router says about the services behind it: each `<kind>_fetch` is a kind of source."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from veille.core.http.credentials import same_origin
from veille.core.models import Json
from veille.core.urls import join
from veille.errors import ConfigError, ReadError, did_you_mean

_SUFFIX = "_fetch"
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}_fetch")
_OPTION = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,59}")
_MOST_SERVICES, _MOST_OPTIONS, _MOST_TEXT = 200, 50, 500


@dataclass(frozen=True, slots=True, kw_only=True)
class OutsideService:
    """A service that a router offers; its kind is its name without `_fetch`."""

    kind: str
    url: str
    title: str = ""
    description: str = ""
    #: What its sources may set: descriptions by name. None: it does not say, so anything.
    options: Mapping[str, str] | None = None
    #: What its sources have to set.
    required: tuple[str, ...] = ()

    def vet(self, config: Json, ours: Collection[str]) -> None:
        """ConfigError `bad_option` if a source of this kind cannot have these options; `ours` every source may have."""
        if self.options is None:
            return
        for name in config:
            if name not in self.options and name not in ours:
                known = ", ".join(self.options) or "none"
                hint = did_you_mean(name, self.options)
                raise ConfigError(
                    f"The service {self.kind} has no option {name!r}; there are: {known}.{hint}", code="bad_option"
                )
        if missing := [name for name in self.required if name not in config]:
            raise ConfigError(f"The service {self.kind} needs the option {missing[0]!r}.", code="bad_option")


def offered_services(body: bytes, router: str, taken: Collection[str]) -> dict[str, OutsideService]:
    """The services in a router's answer, by kind; ReadError `router.reply` if any part of it is not right.

    `{"services": [{"name": "tides_fetch", "url": "/tides_fetch", "title": …, "description": …, "options": [{"name": …,
    "description": …, "required": true}]}]}`; a service may also be its name alone. Other services are passed over, and
    so are the kinds that are `taken`: a router replaces none of ours.
    """
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise _wrong("it is no JSON") from error
    services = value.get("services") if isinstance(value, dict) else None
    if not isinstance(services, list) or len(services) > _MOST_SERVICES:
        raise _wrong(f"it has no list `services` of at most {_MOST_SERVICES}")
    found: dict[str, OutsideService] = {}
    for one in services:
        record = {"name": one} if isinstance(one, str) else one
        if not isinstance(record, dict) or not isinstance(record.get("name"), str):
            raise _wrong("a service has no name")
        if not record["name"].endswith(_SUFFIX):
            continue
        service = _service(record, router)
        if service.kind in found:
            raise _wrong(f"{record['name'][:60]} is named twice")
        if service.kind not in taken:
            found[service.kind] = service
    return found


def service_record(service: OutsideService) -> Json:
    """A service as it is stored."""
    return {
        "url": service.url,
        "title": service.title,
        "description": service.description,
        "options": None if service.options is None else dict(service.options),
        "required": list(service.required),
    }


def stored_service(kind: str, record: Json) -> OutsideService:
    """The service of a stored record."""
    return OutsideService(kind=kind, **(record | {"required": tuple(record["required"])}))


def _service(record: Json, router: str) -> OutsideService:
    name = record["name"]
    if not _NAME.fullmatch(name):
        raise _wrong(f"{name[:60]!r} is no name of a service")
    url = record.get("url", name)
    if not isinstance(url, str) or not url.isprintable() or " " in url:
        raise _wrong(f"the address of {name} is none")
    joined = join(router, url)
    # A router speaks for its own place only: its token, and requests that may go to private addresses, go nowhere else.
    if joined is None or not same_origin(joined, router):
        raise _wrong(f"{name} is at another place than the router")
    options, required = _options(name, record.get("options"))
    return OutsideService(
        kind=name.removesuffix(_SUFFIX),
        url=joined,
        title=_text(record.get("title", "")),
        description=_text(record.get("description", "")),
        options=options,
        required=required,
    )


def _options(name: str, value: Any) -> tuple[dict[str, str] | None, tuple[str, ...]]:
    if value is None:
        return None, ()
    if not isinstance(value, list) or len(value) > _MOST_OPTIONS:
        raise _wrong(f"the options of {name} are no list of at most {_MOST_OPTIONS}")
    found: dict[str, str] = {}
    required = []
    for one in value:
        option = one.get("name") if isinstance(one, dict) else None
        if not isinstance(option, str) or not _OPTION.fullmatch(option) or option in found:
            raise _wrong(f"an option of {name} has no name of its own")
        found[option] = _text(one.get("description", ""))
        if one.get("required") is True:
            required.append(option)
    return found, tuple(required)


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > _MOST_TEXT or not value.isprintable():
        raise _wrong(f"a text is none, or longer than {_MOST_TEXT} characters")
    return value


def _wrong(why: str) -> ReadError:
    return ReadError(f"The answer of the router cannot be used: {why}. What it said before stays.", code="router.reply")
