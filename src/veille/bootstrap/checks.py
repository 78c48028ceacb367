"""Checks that need the adapters or the disk: whether settings can be used, and who can read the data folder."""

from __future__ import annotations

import ssl
from contextlib import closing
from typing import TYPE_CHECKING

from veille.adapters.private import close_to_others, open_to_others
from veille.bootstrap._outlets import Outlets
from veille.core.kinds import kind_names
from veille.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from veille.ports import Clock
    from veille.settings import Settings


def check_settings(settings: Settings, clock: Clock) -> None:
    """SettingError if the program cannot work with these settings."""
    check_places(settings)
    with closing(Outlets(settings, clock)) as outlets:
        outlets.sinks()


def check_places(settings: Settings) -> None:
    """SettingError if a folder, the certificates or the name of an outside service cannot be used."""
    for name, folder in (("data", settings.data), ("buffer_dir", settings.buffer_dir)):
        try:
            is_other = folder is not None and folder.exists() and not folder.is_dir()
        except OSError as error:
            raise SettingError(f"{settings.place(name)}: {folder} cannot be used ({error.strerror}).") from error
        if is_other:
            raise SettingError(f"{settings.place(name)}: {folder} is a file; name a folder.")
    if settings.fetch.ca_file is not None:
        try:
            ssl.create_default_context(cafile=settings.fetch.ca_file)
        except OSError as error:
            raise SettingError(
                f"{settings.place('fetch', 'ca_file')}: {settings.fetch.ca_file} holds no certificates that can be "
                f"read ({error.strerror or error}); give a PEM file."
            ) from error
    # An outside service never replaces a built-in kind.
    for taken in sorted(set(settings.bridges) & set(kind_names())):
        raise SettingError(
            f"{settings.place('bridges', taken)}: there is a kind of that name already; give the service another.",
            code="bad_bridge",
        )


def exposed(settings: Settings) -> Iterator[Path]:
    """Files and folders with permissions that the umask setting forbids; the buffer folder is left out."""
    return open_to_others(settings.data, int(settings.umask, 8), settings.buffer_dir)


def make_private(settings: Settings) -> int:
    """Remove the permissions that `exposed` finds; returns the number of files and folders."""
    return close_to_others(exposed(settings))
