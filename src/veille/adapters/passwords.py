"""Passwords by argon2id, 64 MiB and three passes per guess; and a list of common passwords, by zxcvbn."""

from __future__ import annotations

import threading
from functools import cache

from argon2 import PasswordHasher, Type
from argon2.exceptions import InvalidHashError, VerificationError

from veille.core.access.passwords import guesses, normalised

#: A dummy hash with the parameters below: unknown users take as long as known ones.
NOBODY = "$argon2id$v=19$m=65536,t=3,p=1$BC7laHnCrMSdynK94I5Ayw$hjHhCcfeJcsQhqbdIGgFKNxPnbMyi2hi6zSkRKWFd3c"
#: How many hashes are computed at once: each takes 64 MiB.
_AT_ONCE = 2


class Argon2Passwords:
    """The port `PasswordHasher`."""

    def __init__(self) -> None:
        self._argon2 = PasswordHasher(time_cost=3, memory_cost=64 * 1024, parallelism=1, type=Type.ID)
        self._turns = threading.BoundedSemaphore(_AT_ONCE)

    def hash(self, password: str) -> str:
        with self._turns:
            return self._argon2.hash(normalised(password))

    def verify(self, password_hash: str | None, password: str) -> bool:
        with self._turns:
            try:
                self._argon2.verify(password_hash or NOBODY, normalised(password))
            except (VerificationError, InvalidHashError):
                return False
        return password_hash is not None

    def common(self) -> frozenset[str]:
        return _common()

    def is_outdated(self, password_hash: str) -> bool:
        return self._argon2.check_needs_rehash(password_hash)


@cache
def _common() -> frozenset[str]:
    from zxcvbn.frequency_lists import FREQUENCY_LISTS  # noqa: PLC0415 - needed where a password is set, and nowhere else

    return guesses(FREQUENCY_LISTS["passwords"])
