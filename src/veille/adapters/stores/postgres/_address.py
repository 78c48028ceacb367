"""The address of a database: what is wrong with it is told at once, without repeating it: it may have a password."""

from __future__ import annotations

from typing import Any
from urllib.parse import SplitResult, urlsplit

import psycopg
from psycopg import pq
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from veille.adapters.stores.postgres._values import adapters
from veille.errors import StoreError

#: In the URL: no prepared statements, for a PgBouncer that does not know them.
_PLAIN = "pgbouncer"
_KEEPALIVES = ("keepalives_idle", "keepalives_interval", "keepalives_count", "tcp_user_timeout")
_LAST_PORT = 65_535
#: No server is there, whatever the machine.
_NOWHERE = {"host": "/dev/null", "hostaddr": "", "port": "5432", "password": "none"}


def taken_apart(url: str) -> tuple[str, dict[str, Any]]:
    """The URL for libpq, and how to connect."""
    parts = _parts(url)
    asked = [one.partition("=") for one in parts.query.split("&")] if parts.query else []
    if not all(equals for _, equals, _ in asked):
        raise _bad("its options are not name=value")
    is_plain = any(name == _PLAIN and value in {"true", "1"} for name, _, value in asked)
    # The others as they are written: the server's library has rules of its own for what stands for a space.
    others = "&".join(f"{name}={value}" for name, _, value in asked if name != _PLAIN)
    url = url.partition("?")[0] + (f"?{others}" if others else "")
    try:
        named = conninfo_to_dict(url)
    except (psycopg.ProgrammingError, UnicodeError):
        raise _bad("PostgreSQL cannot read it") from None
    _check_ports(named)
    _check_options(named)
    # What is sent and read is UTF-8, whatever the environment asks for.
    options: dict[str, Any] = {
        "autocommit": True,
        "context": adapters(),
        "cursor_factory": psycopg.RawCursor,
        "client_encoding": "UTF8",
    }
    if "connect_timeout" not in named:
        options["connect_timeout"] = 10
    if not {"keepalives_idle", "tcp_user_timeout"} & named.keys():
        # A network that is cut says nothing; by itself the system would notice after hours.
        options |= {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 20_000}
    if "application_name" not in named:
        options["application_name"] = "veille"
    if is_plain:
        options["prepare_threshold"] = None
    return url, options


def _parts(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        (parts.hostname or "").encode("idna")
    except ValueError:
        raise _bad("its host is none") from None
    if parts.scheme not in {"postgres", "postgresql"}:
        raise _bad("another scheme")
    is_cut = "@" in parts.query and not parts.path and "@" not in parts.netloc
    if parts.fragment or is_cut or "@" in parts.path or parts.netloc.count("@") > 1:
        # Else a part of the password would be taken for the host, which messages name.
        raise _bad("one of @ / # ? stands where it has another meaning")
    return parts


def _check_ports(named: dict[str, Any]) -> None:
    for port in str(named.get("port", "")).split(","):
        if port and not (port.isascii() and port.isdecimal() and 0 < int(port) <= _LAST_PORT):
            raise _bad(f"its port is no number from 1 to {_LAST_PORT}")


def _check_options(named: dict[str, Any]) -> None:
    """Whether libpq would connect with these; of most it says so before it looks for the server."""
    for name in ("connect_timeout", *_KEEPALIVES):
        try:
            int(named.get(name, 0))
        except ValueError:
            raise _bad(f"{name} is no number") from None
    refused = pq.PGconn.connect_start(make_conninfo(**(named | _NOWHERE)).encode()).error_message
    if _NOWHERE["host"].encode() not in refused:
        raise _bad("an option, or one of the variables PG…, has a value that PostgreSQL does not know")


def _bad(reason: str) -> StoreError:
    return StoreError(
        f"This is no address of a PostgreSQL database ({reason}): write postgresql://user@host/database, and special "
        "characters of a password as %XX, such as %40 for @.",
        code="store.bad_url",
    )
