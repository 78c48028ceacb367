r"""The strict URL parser of the door: an address is parsed once and rebuilt from its parts.

Parsers disagree about odd spellings (`http://a\@b/`, `http:/127.0.0.1/`, `0x7f.1`), and every disagreement is a way
around a check. So there is one parser, it refuses odd spellings, and the HTTP client gets the rebuilt address, never
the original text.
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from itertools import filterfalse
from urllib.parse import quote, unquote

import idna

from veille.errors import ConfigError

#: A reference to a secret or a variable: `secret:` and a name, or the name of a variable.
REFERENCE = re.compile(r"\$\{([^${}]*)\}")
MAX_LENGTH = 8192
MAX_HOST = 253
MAX_PORT = 65535
_PORT_DIGITS = 5
DEFAULT_PORTS = {"http": 80, "https": 443}

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

_SHAPE = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*)://([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#.*)?", re.DOTALL)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_USERINFO = re.compile(r"[A-Za-z0-9\-._~!$&'()*+,;=:%]*")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_\-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0[xX][0-9A-Fa-f]*")
_IPV6 = re.compile(r"[0-9A-Fa-f:.]+")
_DOTS = re.compile("[\u3002\uff0e\uff61]")
# RFC 3986 pchar and the characters browsers leave alone; everything else is escaped, never refused.
_PATH_SAFE = "/%:@!$&'()*+,;=~-._[]"
_QUERY_SAFE = _PATH_SAFE + "?"


class AddressError(ValueError):
    """The text is not an address that can be fetched; `reason` is a stable code."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Url:
    """A parsed http(s) address. `str()` gives the normalized spelling that is sent."""

    scheme: str
    #: ASCII, lower case; IPv6 without brackets.
    host: str
    port: int
    path: str
    query: str | None
    #: `user:password` verbatim, kept separate so that it is never shown.
    userinfo: str
    #: The IP address if the host is one, so that it never goes to a resolver.
    address: IPAddress | None

    #: The key for politeness: host, and port unless it is the default port of the scheme.
    host_key: str
    origin: str
    text: str

    @property
    def target(self) -> str:
        return self.path if self.query is None else f"{self.path}?{self.query}"

    def __str__(self) -> str:
        return self.text


@lru_cache(maxsize=1024)
def parse(text: str) -> Url:
    """Parse an address; AddressError with the reason if it is refused.

    >>> str(parse("HTTPS://EXAMPLE.com:0443/a/../b c#top"))
    'https://example.com/b%20c'
    """
    if len(text) > MAX_LENGTH:
        raise AddressError("too_long", f"the address is longer than {MAX_LENGTH} characters")
    if _CONTROL.search(text):
        raise AddressError("syntax", "the address holds control characters")
    shape = _SHAPE.fullmatch(text)
    if shape is None:
        raise _shapeless(text)
    scheme = shape[1].lower()
    if scheme not in DEFAULT_PORTS:
        raise AddressError("scheme", f"{scheme}: is not fetched over the network; only http and https are")
    userinfo, host_text, port_text = _authority(shape[2])
    host, address = _host(host_text)
    path = _escaped(_without_dots(shape[3]), _PATH_SAFE) or "/"
    query = None if shape[4] is None else _escaped(shape[4], _QUERY_SAFE)
    port = _port(port_text, scheme)
    name = f"[{host}]" if ":" in host else host
    key = name if port == DEFAULT_PORTS[scheme] else f"{name}:{port}"
    origin = f"{scheme}://{key}"
    return Url(
        scheme=scheme,
        host=host,
        port=port,
        path=path,
        query=query,
        userinfo=userinfo,
        address=address,
        host_key=key,
        origin=origin,
        text=f"{origin}{path}" if query is None else f"{origin}{path}?{query}",
    )


def follow(base: Url, location: str) -> Url:
    """Resolve a `Location` header. What browsers would read as a host is never read as a path."""
    text = location.strip(" \t")
    if not text:
        raise AddressError("location", "the redirect names no target")
    if _CONTROL.search(text):
        raise AddressError("syntax", "the redirect target holds control characters")
    if _SCHEME.match(text):
        return parse(text)
    if text[:2] in {"/\\", "\\/", "\\\\"} or text.startswith(("\\", "///")):
        raise AddressError("syntax", "the redirect target is ambiguous")
    if text.startswith("//"):
        return parse(f"{base.scheme}:{text}")
    return parse(base.origin + _relative(base, text))


def host_in(host: str, patterns: Collection[str]) -> bool:
    """Whether a host matches a pattern: exactly, or as a subdomain of `*.domain`; a port is part of the host.

    >>> host_in("a.b.example.org", {"*.example.org"}), host_in("example.org", {"*.example.org"})
    (True, False)
    """
    if host in patterns:
        return True
    labels = host.split(".")
    return any(f"*.{'.'.join(labels[at:])}" in patterns for at in range(1, len(labels)))


def refuse_in_address(url: str) -> None:
    """Raise ConfigError for an address that contains a `${…}` reference, percent-encoded or not."""
    if REFERENCE.search(unquote(url) if "%" in url else url):
        raise ConfigError(
            f"{url[:120]}: `${{…}}` cannot stand in an address, which is stored and shown; send it in `headers`, or in "
            "`body`.",
            code="secret_in_url",
        )


def _relative(base: Url, text: str) -> str:
    if text.startswith("/"):
        return text
    if text.startswith("?"):
        return base.path + text
    if text.startswith("#"):
        return base.target
    return base.path.rpartition("/")[0] + "/" + text


def _shapeless(text: str) -> AddressError:
    scheme = _SCHEME.match(text)
    if scheme is not None and scheme[0][:-1].lower() not in DEFAULT_PORTS:
        return AddressError("scheme", f"{scheme[0].lower()} is not fetched over the network; only http and https are")
    return AddressError("syntax", "it is not an address in full, such as https://example.org/news")


def _authority(text: str) -> tuple[str, str, str]:
    userinfo, at, rest = text.rpartition("@")
    if at and not _USERINFO.fullmatch(userinfo):
        raise AddressError("syntax", "the part before @ holds characters that must be escaped")
    if rest.startswith("["):
        host, bracket, tail = rest.partition("]")
        if not bracket or (tail and not tail.startswith(":")):
            raise AddressError("syntax", "the IPv6 address is not closed by a bracket")
        return userinfo, host + bracket, tail[1:]
    host, _, port = rest.partition(":")
    return userinfo, host, port


def _port(text: str, scheme: str) -> int:
    if not text:
        return DEFAULT_PORTS[scheme]
    # Length first: a number of thousands of digits is not even converted.
    if not (text.isascii() and text.isdigit()) or len(text.lstrip("0")) > _PORT_DIGITS or int(text) > MAX_PORT:
        raise AddressError("port", f"{text[:20]!r} is not a port")
    return int(text)


# Hosts repeat far more than addresses do.
@lru_cache(maxsize=1024)
def _host(text: str) -> tuple[str, IPAddress | None]:
    if not text:
        raise AddressError("syntax", "the address names no host")
    if text.startswith("["):
        address = _ipv6(text[1:-1])
        return str(address), address
    name = text.lower() if text.isascii() else _ascii_name(text)
    labels = name.removesuffix(".").split(".")
    if _NUMBER.fullmatch(labels[-1]):
        return name, _ipv4(name)
    if len(name) > MAX_HOST or not all(_LABEL.fullmatch(label) for label in labels):
        raise AddressError("host", "the host holds characters or labels no host name has")
    for label in labels:
        if label.startswith("xn--"):
            _check_punycode(label)
    return name, None


def _ipv6(text: str) -> ipaddress.IPv6Address:
    if not _IPV6.fullmatch(text):
        raise AddressError("host", "the brackets hold no IPv6 address (zones are not allowed)")
    try:
        return ipaddress.IPv6Address(text)
    except ValueError:
        raise AddressError("host", "the brackets hold no IPv6 address") from None


def _ipv4(text: str) -> ipaddress.IPv4Address:
    """WHATWG: a host whose last label is a number is an IPv4 address or invalid. Only dotted decimal is accepted."""
    try:
        return ipaddress.IPv4Address(text)
    except ValueError:
        raise AddressError("host", "a host that ends in a number must be a plain IPv4 address") from None


def _ascii_name(text: str) -> str:
    _check_letters(text)
    try:
        return idna.encode(_DOTS.sub(".", text), uts46=True, transitional=False).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        raise AddressError("host", "the host is not a valid international name") from None


def _check_letters(name: str) -> None:
    """Refuse look-alikes of `/`, `@`, `.` and invisible characters: people would read another name than machines do."""
    for char in filterfalse(str.isascii, name):
        if unicodedata.category(char) in {"Cf", "Cc", "Cs", "Co", "Cn", "Zs", "Zl", "Zp"}:
            raise AddressError("host", "the host holds invisible characters")
        plain = "" if _DOTS.match(char) else unicodedata.normalize("NFKC", char)
        if any(letter.isascii() and not letter.isalnum() and letter != "-" for letter in plain):
            raise AddressError("host", "the host holds a look-alike of a separator")


def _check_punycode(label: str) -> None:
    try:
        name = label[4:].encode("ascii").decode("punycode")
    except UnicodeError:
        raise AddressError("host", "the host holds a broken international label") from None
    if name.isascii() or unicodedata.normalize("NFKC", name).casefold() != name.casefold():
        raise AddressError("host", "the host holds a disguised international label")
    _check_letters(name)


def _without_dots(path: str) -> str:
    """RFC 3986 5.2.4, reading `%2e` as a dot as browsers do."""
    if "." not in path and "%2" not in path:
        return path
    out: list[str] = []
    parts = path.split("/")
    for part in parts[1:]:
        plain = part.replace("%2e", ".").replace("%2E", ".")
        if plain == "..":
            out[-1:] = []
        elif plain != ".":
            out.append(part)
    if parts[-1].replace("%2e", ".").replace("%2E", ".") in {".", ".."}:
        out.append("")
    return "/" + "/".join(out)


def _escaped(text: str, safe: str) -> str:
    if _PLAIN.fullmatch(text):
        return text
    try:
        return quote(text, safe=safe)
    except UnicodeError:
        raise AddressError("syntax", "the address holds half a character") from None


_PLAIN = re.compile(r"[A-Za-z0-9/%:@!$&'()*+,;=~\-._\[\]?]*")
