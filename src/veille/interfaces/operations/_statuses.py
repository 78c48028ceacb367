"""One table from failures to the status that HTTP has for them."""

from __future__ import annotations

from veille.errors import ConfigError, ForbiddenError, LoginError, NotFoundError, ThrottledError, VeilleError

_BY_CODE = {"duplicate_source": 409, "dossier_exists": 409, "quota_sources": 429}
#: The first that fits; everything else is 500.
_BY_CLASS: tuple[tuple[type[VeilleError], int], ...] = (
    (NotFoundError, 404),
    (LoginError, 401),
    (ForbiddenError, 403),
    (ThrottledError, 429),
    (ConfigError, 400),
)


def status_of(error: VeilleError) -> int:
    """The HTTP status of a failure."""
    if error.code in _BY_CODE:
        return _BY_CODE[error.code]
    return next((status for kind, status in _BY_CLASS if isinstance(error, kind)), 500)
