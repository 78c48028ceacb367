"""File formats for documents and changes, one file each; the registry finds them by name."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

from veille.errors import ConfigError


@contextmanager
def replaced(path: Path) -> Iterator[IO[bytes]]:
    """A file that takes its name when it is whole and on the disk; until then whatever has the name stays."""
    if path.exists() and not path.is_file():
        # Taking the name of a device or a pipe would take it away from everybody else on the machine.
        raise ConfigError(
            f"{path} is no ordinary file, so it is left alone; give another name, or none for standard output.",
            code="bad_out",
        )
    try:
        with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp", delete=False) as draft:
            try:
                yield draft.file
                draft.flush()
                os.fsync(draft.fileno())
                os.chmod(draft.name, _mode())  # noqa: PTH101 - it is a name
                os.replace(draft.name, path)  # noqa: PTH105 - likewise
            except BaseException:
                os.unlink(draft.name)  # noqa: PTH108 - likewise
                raise
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be written ({error.strerror}); check that its folder exists, is yours and has space.",
            code="bad_out",
        ) from error


def _mode() -> int:
    """The rights that a new file has here; drafts are made for one's own eyes."""
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask
