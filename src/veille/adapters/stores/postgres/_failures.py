"""Messages for failures of the server, of the way to it, and of the rights there."""

from __future__ import annotations

import errno
import os
import time
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import psycopg

from veille.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

#: How long to wait for a server that does not answer: it may be restarted, or come up after us.
PATIENCE_S = 15.0


class _Told(NamedTuple):
    """Error code and message; the message of the server is put into it."""

    code: str
    text: str


_UNREACHABLE = _Told(
    code="store.unreachable",
    text="The PostgreSQL server does not answer ({}): check that it runs and that `store` names it.",
)
_NO_SERVER = _Told(
    code="store.no_server",
    text="There is no host of the name in `store` ({}): correct it.",
)
_REFUSED = _Told(
    code="store.refused",
    text="The PostgreSQL server does not let us in, or is not as `store` wants it ({}): check the user, the database "
    "and `sslmode` there, and the password there or in `~/.pgpass`.",
)
_POOLED = _Told(
    code="store.refused",
    text="A pool that gives every transaction another connection stands before the PostgreSQL server ({}): add "
    "`?pgbouncer=true` to the address in `store`.",
)
_BUSY = _Told(
    code="store.busy",
    text="Another program writes to this dossier and does not end ({}); wait and try again.",
)
_ENDED = _Told(
    code="store.busy",
    text="The PostgreSQL server ended what was asked of it ({}): try again. If a time limit of the role or the server "
    "did that, raise it.",
)
_FAILED = _Told(
    code="store.damaged",
    text="The PostgreSQL server failed ({}): its log says more.",
)
_FULL = _Told(
    code="store.full",
    text="The PostgreSQL server has no room left ({}). Free some space and try again; nothing was lost.",
)
_RIGHTS = _Told(
    code="store.rights",
    text="A right is missing in the database ({}): the role that `store` names has to own the database and be a member "
    "of `veille_app`; a superuser runs CREATE ROLE veille_app NOLOGIN (once on a server) and GRANT veille_app TO it.",
)
_READ_ONLY = _Told(
    code="store.read_only",
    text="The database can only be read ({}): name the primary server in `store`, not a replica.",
)
_MISSING = _Told(
    code="store.missing",
    text="This dossier was deleted ({}).",
)

#: By SQLSTATE, or its first two signs, which are its class.
_STATES = {
    "28": _REFUSED,
    "3D000": _REFUSED,
    # A statement that was prepared is another connection's.
    "42P05": _POOLED,
    "26000": _POOLED,
    "08": _UNREACHABLE,
    "57P": _UNREACHABLE,
    "57014": _ENDED,
    "25P": _ENDED,
    "58": _FAILED,
    "XX": _FAILED,
    "53300": _UNREACHABLE,
    "55P03": _BUSY,
    "40": _BUSY,
    "53": _FULL,
    "42501": _RIGHTS,
    "25006": _READ_ONLY,
}
#: What the system says of a host that there is not: it is wrong if it lasts. A port that nobody listens on may be that
#: of a server that is late.
_NOBODY = ("Name or service not known", "No address associated with hostname")
#: Each attempt to connect begins with this: to each address of a host, with encryption and without.
_ATTEMPT = "connection to server "
#: Without a SQLSTATE, what the way to a server says while it is not there, in the words of the system and of libpq.
_NOT_THERE = (
    *map(os.strerror, (errno.ECONNREFUSED, errno.ECONNRESET, errno.ECONNABORTED, errno.EPIPE, errno.ETIMEDOUT)),
    *map(os.strerror, (errno.EHOSTUNREACH, errno.EHOSTDOWN, errno.ENETUNREACH, errno.ENETDOWN, errno.EAGAIN)),
    # A socket; files that the address names are told otherwise.
    f"failed: {os.strerror(errno.ENOENT)}",
    "closed the connection",
    "closed unexpectedly",
    "EOF detected",
    "unexpected eof",
    "timeout expired",
    "could not fork",
    # The server that is to take over has not yet.
    "session is ",
    "standby mode",
)
#: A server that answers before there is a connection gives no SQLSTATE, only this, and these while it begins or ends.
_ANSWERED = "FATAL:"
_PASSING = ("starting up", "shutting down", "recovery", "too many", "connection slots")


def told(error: Exception) -> StoreError | None:
    """The StoreError for a failure of the server or the way to it; None for errors in our own SQL, which are bugs."""
    if isinstance(error, psycopg.errors.ForeignKeyViolation) and error.diag.table_name == "versions":
        return _as(_MISSING, error)
    state = getattr(error, "sqlstate", None)
    if state:
        found = next((_STATES[state[:n]] for n in (5, 3, 2) if state[:n] in _STATES), None)
        return _as(found, error) if found else None
    if not isinstance(error, psycopg.OperationalError):
        return None
    return _as(_UNREACHABLE if is_passing(error) else _REFUSED, error)


def unreachable(error: Exception) -> StoreError:
    """The error for a server to which there is no connection, for this reason."""
    return _as(_UNREACHABLE, error)


def no_right(said: str) -> StoreError:
    """The error for a role that lacks a right."""
    return StoreError(_RIGHTS.text.format(said), code=_RIGHTS.code)


def nobody(error: StoreError) -> StoreError | None:
    """The error for a host that there is not; None if its server may only be late, or it is something else."""
    cause = error.__cause__
    if isinstance(cause, Exception) and error.is_unreachable and any(word in str(cause) for word in _NOBODY):
        return _as(_NO_SERVER, cause)
    return None


def insisting(
    act: Callable[[], T], patience_s: float = PATIENCE_S, is_given_up: Callable[[], bool] = lambda: False
) -> T:
    """Do what may be done twice, again and again while the server does not answer."""
    deadline = time.monotonic() + patience_s
    while True:
        try:
            return act()
        except StoreError as error:
            if not error.is_unreachable or time.monotonic() > deadline or is_given_up():
                raise
            time.sleep(0.1)


def is_passing(error: psycopg.Error) -> bool:
    """Whether a connection that was not made, or is lost, may be made a little later.

    Whatever is not known to pass, such as a password that is missing or a certificate that does not fit, lasts.
    """
    _, *attempts = str(error).split(_ATTEMPT)
    if not attempts:
        # Nothing was asked to connect: the name has no address now, the time is over, or the connection was lost.
        return error.pgconn is None
    return all(any(word in one for word in (_PASSING if _ANSWERED in one else _NOT_THERE)) for one in attempts)


def _as(what: _Told, error: Exception) -> StoreError:
    # The first line says what, the others where; a message of a connection has one line per address that was tried.
    said = " ".join(str(error).split())
    return StoreError(what.text.format(said), code=what.code)
