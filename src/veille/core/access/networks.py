"""Networks that a token may be used from, and loopback addresses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from veille.errors import ConfigError

MOST = 50


def checked_networks(texts: Sequence[str]) -> tuple[str, ...]:
    """The networks, normalised and without duplicates; a single address is a network of one.

    >>> checked_networks(["10.1.0.0/16", "2001:DB8::/32", "192.0.2.7"])
    ('10.1.0.0/16', '2001:db8::/32', '192.0.2.7/32')
    """
    if len(texts) > MOST:
        raise ConfigError(f"A token may name {MOST} networks at most.", code="bad_network")
    try:
        return tuple(dict.fromkeys(str(ip_network(text.strip())) for text in texts))
    except ValueError as error:
        raise ConfigError(f"{error}: write a network as 10.1.0.0/16 or 2001:db8::/32.", code="bad_network") from error


def is_loopback(host: str) -> bool:
    """Whether the host is a loopback address of this machine."""
    return host == "localhost" or is_within(host, ("127.0.0.0/8", "::1"))


def is_within(address: str, networks: Iterable[str]) -> bool:
    """Whether the address is in one of the networks; an invalid address is in none."""
    parsed = plain_address(address)
    return parsed is not None and any(parsed in ip_network(network) for network in networks)


def plain_address(text: str) -> IPv4Address | IPv6Address | None:
    """The address without a zone, and IPv4 if it is mapped to IPv6; None if it is invalid."""
    try:
        parsed = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return parsed.ipv4_mapped or parsed if isinstance(parsed, IPv6Address) else parsed
