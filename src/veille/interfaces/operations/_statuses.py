"""The HTTP statuses of failures, in one table."""

from __future__ import annotations

from veille import errors
from veille.errors import VeilleError

_BY_CODE = {
    "duplicate_source": 409,
    "dossier_exists": 409,
    "user_exists": 409,
    "search_exists": 409,
    "engine_exists": 409,
    "entry_exists": 409,
    "rule_exists": 409,
    "channel_exists": 409,
    "last_admin": 409,
    "last_owner": 409,
    "has_role": 409,
    "repair_done": 409,
    "repair_stale": 409,
    "not_initialized": 409,
    "no_member": 404,
    "not_an_image": 415,
    "no_image": 502,
    "invalid_protocol": 400,
    "fetch_timeout": 504,
    "fetch_http": 502,
    "fetch_network": 502,
    "unreadable_page": 502,
    "quota_sources": 429,
    "store.busy": 503,
    "store.unreachable": 503,
    "fetch_busy": 503,
}
#: The first match counts; everything else is 500.
_BY_CLASS: tuple[tuple[type[VeilleError], int], ...] = (
    (errors.NotFoundError, 404),
    (errors.LoginError, 401),
    (errors.ForbiddenError, 403),
    (errors.ThrottledError, 429),
    (errors.ConfigError, 400),
    (errors.ReadError, 400),
    (errors.SinkError, 502),
)


def status_of(error: VeilleError) -> int:
    """The HTTP status of a failure."""
    if error.code in _BY_CODE:
        return _BY_CODE[error.code]
    return next((status for kind, status in _BY_CLASS if isinstance(error, kind)), 500)
