"""What other users of the machine could read in a data folder, and how to fix that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.adapters.private import close_to_others, open_to_others

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from veille.settings import Settings


def exposed(settings: Settings) -> Iterator[Path]:
    """Files and folders with permissions for others that the umask setting excludes; the buffer folder is left out."""
    return open_to_others(settings.data, int(settings.umask, 8), settings.buffer_dir)


def make_private(settings: Settings) -> int:
    """Remove those permissions; returns the number of files and folders."""
    return close_to_others(exposed(settings))
