"""Durable writing of files, and the meaning of its failures."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from veille.adapters.files import try_lock
from veille.errors import ConfigError, StoreError

#: How much is read at once.
STEP = 64 * 1024


@contextmanager
def written(path: Path) -> Iterator[None]:
    """Translates disk failures while writing there into our errors."""
    try:
        yield
    except StoreError as error:
        if error.is_full:
            raise no_space(path) from error
        raise
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise no_space(path) from error
        raise StoreError(
            f"{path} cannot be written ({error.strerror or error}): check that its folder exists and is yours.",
            code="backup.cannot_write",
        ) from error


def no_space(path: Path) -> StoreError:
    """The error for a full disk."""
    return StoreError(
        f"There is not enough space for {path}: free some, or choose another disk. Nothing is left of it.",
        code="backup.no_space",
    )


def lock(descriptor: int, path: Path) -> None:
    """Lock the file until the descriptor is closed, even by a crash; ConfigError if another process holds the lock."""
    if not try_lock(descriptor):
        raise ConfigError(
            f"Another backup or restore is writing {path}: wait for it, or choose another name.", code="backup.busy"
        )
