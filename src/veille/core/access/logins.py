"""How often a password may be tried and how long a session lasts: pure functions of what happened and the time."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv6Address, ip_address

from veille.core.schedule import DAY, HOUR, MINUTE

#: Failed tries of one account from one address that cost nothing.
FREE_TRIES = 5
#: Failed tries of whatever accounts from one address within a minute; it bounds the work that guessing can make.
TRIES_A_MINUTE = 20
#: Older tries are forgotten.
REMEMBERED = DAY
LONGEST_WAIT = HOUR

SESSION_IDLE = 7 * DAY
SESSION_LIFE = 30 * DAY
LINK_LIFE = 15 * MINUTE
#: "Last used" is written no more often than this.
SEEN_EVERY = 10 * MINUTE


def next_try_at(failed: Sequence[int], now: int) -> int:
    """When an account may be tried again after these failures: at once, or a minute after the last, two, four.

    Failures to come are none: the clock was ahead. They would lock people out until it is there again.
    """
    failed = [at for at in failed if at <= now]
    excess = len(failed) - FREE_TRIES
    if excess < 0:
        return 0
    return max(failed) + min(MINUTE << min(excess, 10), LONGEST_WAIT)


def next_try_of_address(failed: Sequence[int], now: int) -> int:
    """When anybody may be tried again from an address after these failures there; those to come are none."""
    failed = [at for at in failed if at <= now]
    if len(failed) < TRIES_A_MINUTE:
        return 0
    return sorted(failed)[-TRIES_A_MINUTE] + MINUTE


def session_lives(created_at: int, seen_at: int, now: int) -> bool:
    """Whether a session is neither idle for too long nor too old altogether, nor begun while the clock was ahead."""
    return created_at - SEEN_EVERY <= now < created_at + SESSION_LIFE and now < seen_at + SESSION_IDLE


def counted_address(address: str) -> str:
    """The address as tries are counted by: all of an IPv6 network that one customer gets is one."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address[:80]
    if isinstance(parsed, IPv6Address):
        return str(parsed.ipv4_mapped or IPv6Address(int(parsed) >> 64 << 64))
    return str(parsed)
