"""File formats for documents and changes, one module each; the registry finds them by name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from veille.adapters import files
from veille.errors import ConfigError


@contextmanager
def replaced(path: Path, *, private: bool = False) -> Iterator[IO[bytes]]:
    """The file of an export, as `files.replaced` makes it."""
    if path.exists() and not path.is_file():
        # Replacing a device or a pipe would take it away from everybody else on the machine.
        raise ConfigError(
            f"{path} is no ordinary file, so it is left alone; give another name, or none for standard output.",
            code="bad_out",
        )
    try:
        with files.replaced(path, private=private) as draft:
            yield draft
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be written ({error.strerror}); check that its folder exists, is yours and has space.",
            code="bad_out",
        ) from error
