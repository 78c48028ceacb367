"""Secrets by name: configured headers and bodies refer to them, and they are sent only to the hosts they are bound to.

`${secret:NAME}` is looked up in the vault of the source's dossier; `${NAME}` is an environment variable that the
operator listed in `fetch.allow_env`. Both come with the hosts they may be sent to. Nothing else is expanded: `$HOME`
and `%PATH%` are sent verbatim. With an invalid reference the request is not sent. Addresses must not contain
references, because they are stored, reported and passed on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote_plus

from veille.core.addresses import DEFAULT_PORTS, REFERENCE, AddressError, Url, host_in, parse
from veille.core.outcomes import failure
from veille.core.traffic import Failure
from veille.errors import ConfigError

#: Valid names of secrets.
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")
_MAX_HOSTS = 20

IN_VAULT = "secret:"
_ANY = "*."

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Secret:
    """A value, and the hosts that may get it: `api.example.org`, `api.example.org:8443`, `*.example.org`."""

    value: str = field(repr=False)
    hosts: tuple[str, ...]

    def goes_to(self, url: Url) -> bool:
        """Whether it may be sent there. A host without a port means the default port of the scheme."""
        is_usual = url.port == DEFAULT_PORTS[url.scheme]
        name = _name(url)
        return host_in(f"{name}:{url.port}", self.hosts) or (is_usual and host_in(name, self.hosts))


#: Looks a reference up; None if there is no secret of that name.
Known = Callable[[str], Secret | None]


class _RefusedError(Exception):
    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.failure = failure(code, message)


def bound_hosts(texts: Iterable[str]) -> tuple[str, ...]:
    """The hosts that a secret is bound to, normalised; ConfigError if there are none or one is invalid."""
    hosts = tuple(dict.fromkeys(map(_bound, texts)))
    if not 1 <= len(hosts) <= _MAX_HOSTS:
        raise ConfigError(
            f"A secret goes to the hosts it is bound to and to no others: name 1 to {_MAX_HOSTS} of them, such as "
            "api.example.org.",
            code="bad_secret_host",
        )
    return hosts


def _bound(text: str) -> str:
    wanted = text.strip()
    is_any = wanted.startswith(_ANY)
    plain = wanted.removeprefix(_ANY)
    try:
        url = None if set(plain) & set("/?#@\\") else parse(f"https://{plain}/")
    except AddressError:
        url = None
    # A wildcard for a top-level domain would cover hosts of many owners.
    if url is None or (is_any and (url.address is not None or "." not in _name(url))):
        raise ConfigError(
            f"{text[:80]!r} is no host that a secret can be bound to: write it as api.example.org, "
            "api.example.org:8443 or *.example.org.",
            code="bad_secret_host",
        )
    has_port = bool(plain.rpartition("]")[2].partition(":")[2])
    return f"{_ANY if is_any else ''}{_name(url)}{f':{url.port}' if has_port else ''}"


def _name(url: Url) -> str:
    return f"[{url.host}]" if ":" in url.host else url.host.removesuffix(".")


def names_in(values: Iterable[str]) -> set[str]:
    """The names of the secrets that these values refer to."""
    found = (match[1] for value in values for match in REFERENCE.finditer(value))
    return {reference.removeprefix(IN_VAULT) for reference in found if reference.startswith(IN_VAULT)}


def references_in(text: str) -> frozenset[str]:
    """All references in a configured text: secrets, as `secret:NAME`, and variables."""
    return frozenset(match[1] for match in REFERENCE.finditer(text))


def has_open_reference(text: str) -> bool:
    """Whether there is a `${` without its `}`, a typing mistake."""
    return "${" in REFERENCE.sub("", text)


def filled(headers: Mapping[str, str], url: Url, known: Known) -> Headers | Failure:
    """The headers with every reference replaced, or the failure. Its message never contains a value."""
    slip = next((name for name, value in headers.items() if has_open_reference(value)), None)
    if slip is not None:
        return failure("secret", f"the value of {slip} has a `${{` without its `}}`")
    try:
        return tuple(
            (name, REFERENCE.sub(lambda match: _value(match[1], url, known), value)) for name, value in headers.items()
        )
    except _RefusedError as error:
        return error.failure


def filled_body(body: bytes, references: Collection[str], media_type: str, url: Url, known: Known) -> bytes | Failure:
    """The body with these references replaced, escaped for its media type; other text that looks like one stays."""

    def replaced(match: re.Match[str]) -> str:
        if match[1] not in references:
            return match[0]
        value = _value(match[1], url, known)
        if "json" in media_type:
            return json.dumps(value, ensure_ascii=False)[1:-1]
        return quote_plus(value) if "form-urlencoded" in media_type else value

    try:
        return REFERENCE.sub(replaced, body.decode()).encode()
    except _RefusedError as error:
        return error.failure


def typed(secrets: Mapping[str, Secret], text: str, address: str) -> str:
    """A text to type on the page at an address, with its references replaced; ConfigError if it must not get one."""
    try:
        url = parse(address)
        return REFERENCE.sub(lambda match: _value(match[1], url, secrets.get), text)
    except AddressError as error:
        raise ConfigError(f"The page has no address that a secret is bound to: {error}.", code="secret_host") from error
    except _RefusedError as error:
        raise ConfigError(str(error), code=error.failure.code) from error


def _value(reference: str, url: Url, known: Known) -> str:
    found = known(reference)
    if found is None:
        raise _RefusedError("secret", _missing(reference))
    if not found.goes_to(url):
        raise _RefusedError("secret_host", _elsewhere(reference, url))
    return found.value


def _missing(reference: str) -> str:
    if reference.startswith(IN_VAULT):
        return f"there is none called {reference.removeprefix(IN_VAULT)!r} in this dossier"
    return f"${{{reference}}} is no variable the operator allows; write ${{secret:{reference or 'NAME'}}}"


def _elsewhere(reference: str, url: Url) -> str:
    if reference.startswith(IN_VAULT):
        name = reference.removeprefix(IN_VAULT)
        return f"{name} is not bound to {url.host_key} (`veille secrets set {name} --host {url.host_key}`)"
    return f"${{{reference}}} is not bound to {url.host_key}; the operator lists its hosts in fetch.allow_env"
