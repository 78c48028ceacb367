"""File formats for documents and changes, one module each; the registry finds them by name."""

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
    """A file that gets its name once it is complete and on disk; until then an existing file stays."""
    if path.exists() and not path.is_file():
        # Replacing a device or a pipe would take it away from everybody else on the machine.
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
                os.chmod(draft.name, _mode())  # noqa: PTH101 - a name, not a Path
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
    """The default permissions of a new file; drafts are created private."""
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask
