"""Results that wait for their user to decide: kept in memory for a quarter of an hour, for this user only.

Where several machines serve the same data, they are also on a shelf that all of them have: the next request of this
user may come to another machine.
"""

from __future__ import annotations

import pickle
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from veille.version import VERSION

if TYPE_CHECKING:
    from veille.ports.sharing import ServiceShelf

_KEEP_S = 15 * 60.0

_Thing = TypeVar("_Thing")


@dataclass(frozen=True, slots=True)
class _Kept(Generic[_Thing]):
    user_id: str
    thing: _Thing
    size: int
    until: float


class KeptBriefly(Generic[_Thing]):
    """Things by id; the oldest go when there are too many, of one user or in all, or when they are too large."""

    def __init__(self, most: int, most_of_one: int, most_bytes: int | None = None) -> None:
        self._most, self._most_of_one, self._most_bytes = most, most_of_one, most_bytes
        self._kept: dict[str, _Kept[_Thing]] = {}
        self._lock = threading.Lock()

    def keep(self, key: str, user_id: str, thing: _Thing, size: int = 0, shelf: ServiceShelf | None = None) -> None:
        """Keep a thing of so many bytes."""
        if shelf is not None:
            shelf.keep(_on_shelf(key), user_id, pickle.dumps(thing), _KEEP_S)
            return
        with self._lock:
            self._kept[key] = _Kept(user_id, thing, size, time.monotonic() + _KEEP_S)
            self._forget(user_id)

    def find(self, user_id: str, key: str, shelf: ServiceShelf | None = None) -> _Thing | None:
        """A thing of this user's, if it is still kept."""
        if shelf is not None:
            # Not the one in memory: another machine may have replaced it.
            found = shelf.find(_on_shelf(key), user_id)
            # Sealed by a program that has the key of the secrets, so it is what we pickled.
            return cast("_Thing", pickle.loads(found)) if found is not None else None  # noqa: S301 - see above
        one = self._kept.get(key)
        is_theirs = one is not None and one.user_id == user_id and one.until > time.monotonic()
        return one.thing if one is not None and is_theirs else None

    def _forget(self, user_id: str) -> None:
        now = time.monotonic()
        self._kept = {key: one for key, one in self._kept.items() if one.until > now}
        theirs = [key for key, one in self._kept.items() if one.user_id == user_id]
        for key in theirs[: -self._most_of_one]:
            del self._kept[key]
        size = sum(one.size for one in self._kept.values())
        most_bytes = size if self._most_bytes is None else self._most_bytes
        while len(self._kept) > 1 and (len(self._kept) > self._most or size > most_bytes):
            size -= self._kept.pop(next(iter(self._kept))).size


def _on_shelf(key: str) -> str:
    """What another version kept has another shape, and is not found."""
    return f"{VERSION} {key}"
