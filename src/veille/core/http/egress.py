"""Egress policy (SSRF protection): our own table of addresses, because every ready-made one has holes.

`ipaddress.is_global` calls NAT64 of loopback, multicast, site-local and Azure's wire server public. For IPv4 there is a
deny list; for IPv6 only the public range is allowed, less a deny list. Addresses that embed an IPv4 address which a
gateway would connect to (mapped, NAT64) are judged by the embedded address.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from veille.core.addresses import AddressError, IPAddress, Url, host_in, parse
from veille.errors import ConfigError

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

#: Takes a full address and returns whether it may be fetched.
URLValidator = Callable[[str], bool]

_REFUSED = {
    "0.0.0.0/8": "this host",
    "10.0.0.0/8": "private",
    "100.64.0.0/10": "carrier NAT",
    "127.0.0.0/8": "loopback",
    "168.63.129.16/32": "cloud metadata",
    "169.254.0.0/16": "link-local and cloud metadata",
    "172.16.0.0/12": "private",
    "192.0.0.0/24": "protocol assignments",
    "192.0.2.0/24": "documentation",
    "192.31.196.0/24": "AS112",
    "192.52.193.0/24": "AMT relays",
    "192.88.99.0/24": "6to4 relays",
    "192.168.0.0/16": "private",
    "192.175.48.0/24": "AS112",
    "198.18.0.0/15": "benchmarking",
    "198.51.100.0/24": "documentation",
    "203.0.113.0/24": "documentation",
    "224.0.0.0/4": "multicast",
    "240.0.0.0/4": "reserved or broadcast",
    "2001::/23": "protocol assignments, Teredo, ORCHID",
    "2001:db8::/32": "documentation",
    "2002::/16": "6to4",
    "2620:4f:8000::/48": "AS112",
    "3fff::/20": "documentation",
}
_REFUSED_NETWORKS = [(ipaddress.ip_network(text), why) for text, why in _REFUSED.items()]
_PUBLIC_IPV6 = ipaddress.IPv6Network("2000::/3")
_MAPPED = ipaddress.IPv6Network("::ffff:0:0/96")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
#: RFC 6052: the positions of the four bytes of the IPv4 address, per prefix length; byte 8 is always skipped.
_NAT64_BYTES = {32: (4, 5, 6, 7), 40: (5, 6, 7, 9), 48: (6, 7, 9, 10), 56: (7, 9, 10, 11), 64: (9, 10, 11, 12)}
_NAT64_LAST = (12, 13, 14, 15)

#: Size of the verdict cache per policy: the same few addresses are used again and again.
_REMEMBERED = 4096

#: The Fetch standard's bad ports, and services that are often left open on internal networks.
# fmt: off
BAD_PORTS = frozenset((
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109,
    110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531,
    532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060,
    5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080, 2375, 2376, 2379, 3306, 5432, 5672, 6379,
    11211, 27017,
))
# fmt: on

#: Names for this machine or this network; a public resolver cannot know them, and a query would leak them.
_LOCAL_NAMES = ("localhost", "local", "internal", "home.arpa", "onion", "localdomain")


_ADVICE = " The operator can allow it with fetch.allow_hosts or fetch.allow_networks."


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether an address may be fetched, and why not."""

    allowed: bool
    #: A stable code: ok, syntax, scheme, host, port, address, name, own, file, validator, location, too_long, dns.
    reason: str = "ok"
    detail: str = ""

    def enforce(self) -> None:
        """Raise ConfigError if the address is not allowed."""
        if not self.allowed:
            code = "bad_url" if self.reason in {"syntax", "too_long"} else "unsafe_address"
            advice = _ADVICE if self.reason in {"address", "name"} else ""
            why = self.detail or self.reason
            end = "" if why.endswith((".", "?")) else "."
            raise ConfigError(f"This address cannot be watched: {why}{end}{advice}", code=code)


ALLOWED = Verdict(allowed=True)


@dataclass(frozen=True)
class Policy:
    """What the operator allows besides the public internet; tenants cannot change it."""

    #: Host names (`wiki.corp.example`, `*.corp.example`) that may have any address.
    allow_hosts: frozenset[str] = frozenset()
    #: Non-public networks that connections may go to.
    allow_networks: tuple[Network, ...] = ()
    #: Further NAT64 prefixes of this network (RFC 6052).
    nat64: tuple[ipaddress.IPv6Network, ...] = ()
    #: The machine's own addresses: connections to them would reach services that trust it.
    own: frozenset[IPAddress] = frozenset()
    #: Called with every full address: anything but True refuses it. It can only refuse, never allow.
    validator: URLValidator | None = None
    _hosts: dict[str, Verdict] = field(default_factory=dict, init=False, repr=False, compare=False)
    _judged: dict[IPAddress, Verdict] = field(default_factory=dict, init=False, repr=False, compare=False)

    def judge(self, text: str) -> Verdict:
        """The verdict on an address before its name is resolved."""
        try:
            url = parse(text)
        except AddressError as error:
            return Verdict(allowed=False, reason=error.reason, detail=str(error))
        return self.judge_url(url)

    def judge_url(self, url: Url) -> Verdict:
        """The same for a parsed address."""
        verdict = self._hosts.get(url.host_key)
        if verdict is None:
            if len(self._hosts) >= _REMEMBERED:
                self._hosts.clear()
            verdict = self._hosts[url.host_key] = self._judge_host(url)
        return self._validated(url) if verdict.allowed and self.validator is not None else verdict

    def _validated(self, url: Url) -> Verdict:
        try:
            is_fine = self.validator is None or self.validator(str(url)) is True
        except Exception as error:  # noqa: BLE001 - a rule that breaks must not open anything
            return Verdict(allowed=False, reason="validator", detail=f"the operator's validator failed ({error})")
        detail = f"the operator's validator refuses {url.host_key}"
        return ALLOWED if is_fine else Verdict(allowed=False, reason="validator", detail=detail)

    def _judge_host(self, url: Url) -> Verdict:
        if url.port in BAD_PORTS:
            return Verdict(allowed=False, reason="port", detail=f"port {url.port} is never a web server")
        known = url.address
        return self._judge_name(url.host) if known is None else self.judge_address(known, url.port, url.host)

    def judge_address(self, address: IPAddress, port: int, host: str = "") -> Verdict:
        """Whether connections to this IP address are allowed, for a host of that name."""
        if port in BAD_PORTS:
            return Verdict(allowed=False, reason="port", detail=f"port {port} is never a web server")
        if host and self.allows_host(host):
            return ALLOWED
        verdict = self._judged.get(address)
        if verdict is None:
            if len(self._judged) >= _REMEMBERED:
                self._judged.clear()
            verdict = self._judged[address] = self._judge(address)
        return verdict

    def _judge(self, address: IPAddress) -> Verdict:
        inner = _unwrapped(address, self.nat64)
        if any(address in network or inner in network for network in self.allow_networks):
            return ALLOWED
        if address in self.own or inner in self.own:
            return Verdict(allowed=False, reason="own", detail=f"{address} is this machine itself")
        why = _not_public(inner)
        if why:
            return Verdict(allowed=False, reason="address", detail=f"{address} is not a public address ({why})")
        return ALLOWED

    def allows_host(self, host: str) -> bool:
        """Whether the operator listed this name, or a wildcard that covers it."""
        return bool(self.allow_hosts) and host_in(host.removesuffix("."), self.allow_hosts)

    def allowing(self, host: str) -> Policy:
        """The same policy with one more host, for a request from the operator's settings and not from a source."""
        return replace(self, allow_hosts=self.allow_hosts | {host.removesuffix(".")})

    def _judge_name(self, host: str) -> Verdict:
        name = host.removesuffix(".")
        # A single-label name would be resolved in the search domains of this network.
        is_local = "." not in name or any(name == local or name.endswith(f".{local}") for local in _LOCAL_NAMES)
        if is_local and not self.allows_host(host):
            return Verdict(allowed=False, reason="name", detail=f"{host} names something on a local network")
        return ALLOWED


def _not_public(address: IPAddress) -> str:
    if isinstance(address, ipaddress.IPv6Address) and address not in _PUBLIC_IPV6:
        return "not in the public range of IPv6"
    return next((why for network, why in _REFUSED_NETWORKS if address in network), "")


def _unwrapped(address: IPAddress, prefixes: tuple[ipaddress.IPv6Network, ...]) -> IPAddress:
    """The IPv4 address that a gateway would connect to for this one, or the address itself."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in _MAPPED:
        return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    for prefix in (_NAT64, *prefixes):
        if address in prefix:
            places = _NAT64_BYTES.get(prefix.prefixlen, _NAT64_LAST)
            packed = address.packed
            return ipaddress.IPv4Address(bytes(packed[place] for place in places))
    return address
