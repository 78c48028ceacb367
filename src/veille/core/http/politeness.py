"""Politeness per host, given how it answered: pure transitions from one state to the next.

Times are milliseconds since 1970; `share` is a random number from 0 to 1, passed in so that steps are reproducible.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from veille.core.schedule import DAY, HOUR, MINUTE

#: Circuit breaker: failures in a row, at so many different addresses at least, before a host is paused.
BREAK_AFTER = 5
_BREAK_ADDRESSES = 3
#: The first pause after a 429 or 503 without Retry-After; doubled each time, up to a day.
_SLOW_MS = 30_000

#: Failures of the host rather than of the page; so are statuses from 500 on.
TROUBLE = frozenset({"connect", "dns", "timeout", "too_slow", "reset", "tls"})
SERVER_ERROR = 500
SLOW_DOWN = frozenset({429, 503})
#: Answers that refuse us or tell us to slow down.
REFUSALS = frozenset({401, 403, 429, 451, 503})


@dataclass(frozen=True, slots=True, kw_only=True)
class HostState:
    """State of a host that is kept across requests, workers and restarts."""

    key: str
    #: No request may start before this.
    next_at: int = 0
    #: Extra pause between requests, learned from 429 and 503 answers; 0 for none.
    delay_ms: int = 0
    #: Nothing is sent before this.
    paused_until: int = 0
    #: Failures in a row.
    failures: int = 0
    #: Pauses in a row.
    pauses: int = 0
    #: The text of robots.txt; None while it is not known.
    robots: str | None = None
    robots_until: int = 0
    #: Why robots.txt could not be read; empty when it could, or when there is none.
    robots_error: str = ""
    last_status: int = 0
    last_at: int = 0

    def brought_back(self, now: int) -> HostState:
        """Reset times that are too far in the future: they were set while the clock was ahead."""
        times = ("next_at", "paused_until", "robots_until")
        wrong: dict[str, Any] = {name: 0 for name in times if getattr(self, name) > now + DAY}
        return replace(self, **wrong) if wrong else self


@dataclass(slots=True, kw_only=True)
class HostCounts:
    """Counters of a host: requests and bytes, used and saved."""

    requests: int = 0
    not_modified: int = 0
    bytes: int = 0
    bytes_saved: int = 0
    #: Answers that refused us or told us to slow down, and pages forbidden by robots.txt.
    refusals: int = 0
    errors: int = 0


def merged(stored: HostState, seen: HostState) -> HostState:
    """Merge the state of a host that was reached by a redirect: the more careful of the stored and the new state."""
    robots = seen if seen.robots is not None else stored
    higher = {
        name: max(getattr(stored, name), getattr(seen, name))
        for name in ("next_at", "delay_ms", "paused_until", "failures", "pauses")
    }
    of_robots = {name: getattr(robots, name) for name in ("robots", "robots_until", "robots_error")}
    return replace(seen, **higher, **of_robots)


def succeeded(state: HostState, base_ms: int) -> HostState:
    """After a good answer: failures are reset, a learned delay decays."""
    if not (state.failures or state.pauses or state.delay_ms):
        return state
    fading = state.delay_ms * 3 // 4
    return replace(state, failures=0, pauses=0, delay_ms=fading if fading > base_ms else 0)


def failed(state: HostState, now: int, share: float, addresses: int) -> HostState:
    """After a failure: repeated failures open the circuit breaker, longer each time; afterwards one probe decides."""
    failures = state.failures + 1
    if failures < BREAK_AFTER or addresses < _BREAK_ADDRESSES:
        return replace(state, failures=failures)
    pause = min(MINUTE * 2 ** min(state.pauses, 10), HOUR)
    # Half fixed, half jitter: with full jitter the breaker might close immediately.
    until = now + round(pause * (0.5 + share / 2))
    return replace(state, failures=failures, pauses=state.pauses + 1, paused_until=max(state.paused_until, until))


def slowed(state: HostState, now: int, share: float, base_ms: int, retry_after: int | None) -> HostState:
    """After 429 or 503: pause as long as the server asks, or exponentially with full jitter; and double the delay."""
    if retry_after is not None:
        pause = retry_after * 1000
    else:
        pause = round(min(_SLOW_MS * 2 ** min(state.pauses, 12), DAY) * share)
    return replace(
        state,
        pauses=state.pauses + 1,
        delay_ms=min(max(state.delay_ms, base_ms, 500) * 2, DAY),
        paused_until=max(state.paused_until, now + pause),
    )


def on_probation(state: HostState) -> bool:
    """Whether only one request at a time is sent, as a probe after a pause."""
    return state.pauses > 0
