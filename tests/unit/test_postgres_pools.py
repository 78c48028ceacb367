from __future__ import annotations

import socket
from typing import Any, cast

import pytest
from psycopg_pool import PoolTimeout

from veille.adapters.stores.postgres._pools import borrowed
from veille.errors import StoreError


class _Connection:
    """One to which the server said farewell."""

    def __init__(self) -> None:
        self._ours, self._theirs = socket.socketpair()
        self._theirs.send(b"bye")

    def fileno(self) -> int:
        return self._ours.fileno()

    def close(self) -> None:
        self._ours.close()
        self._theirs.close()


class _Pool:
    """Has one connection, and never gets another."""

    conninfo = "host=/nowhere"

    def __init__(self) -> None:
        self.free, self.returned = [_Connection()], list[_Connection]()
        self.kwargs = dict[str, Any]()

    def getconn(self) -> _Connection:
        if not self.free:
            raise PoolTimeout("no server")
        return self.free.pop()

    def putconn(self, connection: _Connection) -> None:
        self.returned.append(connection)


def test_a_closed_connection_is_given_back_once_though_there_is_no_other() -> None:
    pool = _Pool()
    with pytest.raises(StoreError), borrowed(cast("Any", pool)):
        pass
    assert len(pool.returned) == 1
