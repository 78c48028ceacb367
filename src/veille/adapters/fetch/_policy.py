"""The egress policy of this machine: the operator's settings, and the machine's own current addresses."""

from __future__ import annotations

import ipaddress
import re
import socket
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from veille.core.http.egress import Policy

if TYPE_CHECKING:
    from veille.core.addresses import IPAddress
    from veille.settings import FetchSettings

_REFRESH_S = 60
_LOCAL_IPV4 = re.compile(r"\|-- ([0-9.]+)\n\s+/32 host LOCAL")


class PolicySource:
    """Returns the policy when called; the machine's own addresses are re-read every minute, as they may change."""

    def __init__(self, settings: FetchSettings) -> None:
        self._base = policy_of(settings)
        self._policy = self._base
        self._read_at = float("-inf")

    def __call__(self) -> Policy:
        now = time.monotonic()
        if now - self._read_at >= _REFRESH_S:
            self._read_at = now
            own = own_addresses()
            if own != self._policy.own:
                self._policy = replace(self._base, own=own)
        return self._policy


def policy_of(settings: FetchSettings) -> Policy:
    """What the settings allow, without the machine's own addresses."""
    return Policy(
        allow_hosts=frozenset(host.lower().removesuffix(".") for host in settings.allow_hosts),
        allow_networks=tuple(settings.allow_networks),
        nat64=tuple(net for net in settings.nat64_prefixes if isinstance(net, ipaddress.IPv6Network)),
        validator=settings.url_validator,
    )


def own_addresses() -> frozenset[IPAddress]:
    """Every address of this machine's interfaces."""
    found: set[IPAddress] = set()
    try:
        for text in _LOCAL_IPV4.findall(Path("/proc/net/fib_trie").read_text(encoding="ascii")):
            found.add(ipaddress.ip_address(text))
        for line in Path("/proc/net/if_inet6").read_text(encoding="ascii").splitlines():
            found.add(ipaddress.IPv6Address(int(line.split()[0], 16)))
    except OSError:
        found |= _by_name()
    return frozenset(found)


def _by_name() -> set[IPAddress]:
    """Without /proc: the addresses of the machine's own host name."""
    try:
        infos = socket.getaddrinfo(socket.gethostname(), None)
    except OSError:
        return set()
    return {ipaddress.ip_address(str(info[4][0]).partition("%")[0]) for info in infos}
