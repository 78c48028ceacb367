"""What of a data folder other users of the machine could read, and how that is mended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.adapters.private import close_to_others, open_to_others

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from veille.settings import Settings


def exposed(settings: Settings) -> Iterator[Path]:
    """Files and folders with rights for others that the settings do not give; the buffer is for its readers."""
    return open_to_others(settings.data, int(settings.umask, 8), settings.buffer_dir)


def make_private(settings: Settings) -> int:
    """Take those rights away; of how many files and folders."""
    return close_to_others(exposed(settings))
