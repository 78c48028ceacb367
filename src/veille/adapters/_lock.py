"""A lock on an open file that ends with the process that holds it."""

from __future__ import annotations

import fcntl


def try_lock(descriptor: int) -> bool:
    """Take the lock, unless another process has it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
