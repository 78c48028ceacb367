"""HTTP caching: freshness, validators, and how far servers are trusted.

Validators only save bandwidth; the hash of the bytes decides. Servers are wrong both ways: some send the same ETag with
new content (so there is a full fetch now and then), some a new ETag with the same content (so validators that never
helped are no longer sent).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

from veille.core.dates import mail_date, plausible
from veille.core.schedule import DAY
from veille.core.traffic import Payload, Validators

#: A full fetch after so many "not modified" answers, or after so long, whichever is first.
FULL_EVERY = 20
_FULL_AFTER_MS = 7 * DAY
#: After so many answers in a row with new validators and the same content, the validators are useless.
CHURN_LIMIT = 5

_MIN_RETRY_AFTER = 30
_MAX_RETRY_AFTER = 24 * 3600
_MAX_MAX_AGE = 7 * 24 * 3600

_SECONDS = re.compile(r"[0-9]{1,18}")
_DIRECTIVE = re.compile(r'([a-z-]+)(?:\s*=\s*(?:"([^"]*)"|([^\s,;]+)))?', re.IGNORECASE)
_VALIDATOR = re.compile(r"[\x21-\x7e\x80-\xff ]{1,512}")


def to_send(known: Validators, now: int) -> Validators:
    """The validators for the next request; none if a full fetch is due or they proved useless."""
    is_old = bool(known.full_at) and now - known.full_at >= _FULL_AFTER_MS
    return Validators() if known.churn >= CHURN_LIMIT or known.polls >= FULL_EVERY or is_old else known


def learned(known: Validators, payload: Payload) -> Validators:
    """The validators to store after an answer that was not an error."""
    if payload.not_modified:
        return replace(
            known,
            polls=known.polls + 1,
            final_url=payload.final_url,
            etag=payload.etag or known.etag,
            last_modified=payload.last_modified or known.last_modified,
        )
    same_bytes = bool(known.raw_hash) and known.raw_hash == payload.raw_hash
    moved = (payload.etag, payload.last_modified) != (known.etag, known.last_modified)
    churn = known.churn + 1 if same_bytes and moved else 0
    if known.churn >= CHURN_LIMIT and same_bytes:
        churn = CHURN_LIMIT
    return replace(payload.validators, full_at=payload.fetched_at, polls=0, churn=churn)


def modified_at(payload: Payload) -> int | None:
    """The time in the Last-Modified of an answer; None if it has none, or no plausible one."""
    return plausible(_http_date(payload.last_modified)) if payload.last_modified else None


def is_just_made(at: int, fetched_at: int) -> bool:
    """Whether a modification time is that of the fetch, or later: then it was made for the answer."""
    # Such times are in whole seconds.
    return at >= (fetched_at // 1000 - 1) * 1000


def is_redated(known: Validators, payload: Payload) -> bool:
    """Whether the same bytes have a later Last-Modified than before; not if that is so at every fetch."""
    if payload.last_modified == known.last_modified or known.churn >= CHURN_LIMIT:
        return False
    before, after = _http_date(known.last_modified), _http_date(payload.last_modified)
    return before is not None and after is not None and after > before and not is_just_made(after, payload.fetched_at)


def max_age(headers: Mapping[str, str], now: int) -> int | None:
    """Seconds the answer stays fresh, by Cache-Control or Expires; None if it has neither."""
    control = headers.get("Cache-Control", "")
    expires = headers.get("Expires")
    if not control and not expires:
        return None
    directives = {name.lower(): quoted or plain for name, quoted, plain in _DIRECTIVE.findall(control[:1000])}
    if "no-store" in directives or "no-cache" in directives:
        return 0
    for name in ("s-maxage", "max-age"):
        value = directives.get(name)
        if value is not None:
            return min(int(value), _MAX_MAX_AGE) if _SECONDS.fullmatch(value) else 0
    if not expires:
        return None
    at = _http_date(expires)
    # RFC 9111 5.3: an invalid date, in particular "0", means "already expired".
    return 0 if at is None else max(0, min((at - (_http_date(headers.get("Date", "")) or now)) // 1000, _MAX_MAX_AGE))


def retry_after(value: str | None, now: int) -> int | None:
    """Seconds to wait by a Retry-After header (seconds or a date), within limits; None if it cannot be parsed."""
    text = (value or "").strip()
    at = now + int(text) * 1000 if _SECONDS.fullmatch(text) else _http_date(text)
    return None if at is None else max(_MIN_RETRY_AFTER, min((at - now) // 1000, _MAX_RETRY_AFTER))


def validator(value: str | None) -> str:
    """An ETag or Last-Modified that can be sent back: printable and short; else empty."""
    return value.strip() if value and _VALIDATOR.fullmatch(value) else ""


def _http_date(text: str) -> int | None:
    """Milliseconds of an HTTP date in any of its three formats, or None."""
    moment = mail_date(text)
    return None if moment is None else int((moment - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * 1000)


def turn_length(interval_ms: int, age: int | None) -> int:
    """The interval, extended to the cache lifetime of the answer; to twice its length at most."""
    return interval_ms if age is None else min(max(interval_ms, age * 1000), 2 * interval_ms)
