"""Rate limits of sign-ins and lifetimes of sessions: pure functions of what happened and the time."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv6Address

from veille.core.access.networks import plain_address
from veille.core.schedule import DAY, HOUR, MINUTE

#: Failed attempts for one account from one address before there is a delay.
FREE_TRIES = 5
#: Failed attempts for any accounts from one address per minute; it limits the CPU load that guessing can cause.
TRIES_A_MINUTE = 20
#: Older attempts are ignored.
REMEMBERED = DAY
LONGEST_WAIT = HOUR

SESSION_IDLE = 7 * DAY
SESSION_LIFE = 30 * DAY
LINK_LIFE = 15 * MINUTE
#: "Last used" is written at most this often.
SEEN_EVERY = 10 * MINUTE


def next_try_at(failed: Sequence[int], now: int) -> int:
    """When the next attempt for an account is allowed: immediately, or 1, 2, 4 … minutes after the last failure.

    Failures in the future are ignored: they were stored while the clock was ahead, and would lock users out until then.
    """
    failed = [at for at in failed if at <= now]
    excess = len(failed) - FREE_TRIES
    if excess < 0:
        return 0
    return max(failed) + min(MINUTE << min(excess, 10), LONGEST_WAIT)


def next_try_of_address(failed: Sequence[int], now: int) -> int:
    """When the next attempt from an address is allowed after these failures; those in the future are ignored."""
    failed = [at for at in failed if at <= now]
    if len(failed) < TRIES_A_MINUTE:
        return 0
    return sorted(failed)[-TRIES_A_MINUTE] + MINUTE


def session_lives(created_at: int, seen_at: int, now: int) -> bool:
    """Whether a session is neither idle for too long nor too old, nor started while the clock was ahead."""
    return created_at - SEEN_EVERY <= now < created_at + SESSION_LIFE and now < seen_at + SESSION_IDLE


def counted_address(address: str) -> str:
    """The key that attempts are counted by: the address, or the /64 network of an IPv6 address (one customer)."""
    parsed = plain_address(address)
    if isinstance(parsed, IPv6Address):
        return str(IPv6Address(int(parsed) >> 64 << 64))
    return address[:80] if parsed is None else str(parsed)
