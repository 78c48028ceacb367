"""Checks that need the adapters or the disk: whether settings can be used, and who can read the data folder."""

from __future__ import annotations

import ssl
from contextlib import closing
from typing import TYPE_CHECKING

from veille.adapters.private import close_to_others, open_to_others
from veille.bootstrap._channels import CHANNELS
from veille.bootstrap._outlets import EMBEDDERS, Outlets
from veille.core.kinds import kind_names
from veille.errors import SettingError, did_you_mean
from veille.ports import Embedder
from veille.ports.channels import Channel
from veille.registry import is_known, names

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from veille.ports import Clock, Store
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
    for key, certificates in (
        (("fetch", "ca_file"), settings.fetch.ca_file),
        (("alerts", "mail", "ca_file"), settings.alerts.mail.ca_file),
    ):
        _check_certificates(settings.place(*key), certificates)
    _check_names(settings)
    # An outside service never replaces a built-in kind.
    for taken in sorted(set(settings.bridges) & set(kind_names())):
        raise SettingError(
            f"{settings.place('bridges', taken)}: there is a kind of that name already; give the service another.",
            code="bad_bridge",
        )


def _check_certificates(place: str, path: Path | None) -> None:
    if path is None:
        return
    try:
        ssl.create_default_context(cafile=path)
    except OSError as error:
        raise SettingError(
            f"{place}: {path} holds no certificates that can be read ({error.strerror or error}); give a PEM file."
        ) from error


def _check_names(settings: Settings) -> None:
    """SettingError for channels and embedders that there are not; what they need is looked at when they are used."""
    for name in settings.alerts.kinds:
        _check_name(settings.place("alerts", "kinds"), CHANNELS, name, Channel)
    meaning = settings.meaning
    for name in meaning.embedders or ():
        if name not in meaning.options:
            _check_name(settings.place("meaning", "embedders"), EMBEDDERS, name, Embedder)
    for label, options in meaning.options.items():
        _check_name(settings.place("meaning", "options", label), EMBEDDERS, str(options.get("kind", label)), Embedder)


def _check_name(place: str, package: str, name: str, base: type[object]) -> None:
    # Only the name: the library of an extension may be heavy.
    if not is_known(package, name, base):
        known = names(package, base)
        likely = did_you_mean(name, known)
        what = base.__name__.lower()
        raise SettingError(f"{place}: there is no {what} called {name!r}; known: {', '.join(known)}.{likely}")


def exposed(settings: Settings) -> Iterator[Path]:
    """Files and folders with permissions that the umask setting forbids; the buffer folder is left out."""
    return open_to_others(settings.data, int(settings.umask, 8), settings.buffer_dir)


def make_private(settings: Settings) -> int:
    """Remove the permissions that `exposed` finds; returns the number of files and folders."""
    return close_to_others(exposed(settings))


def check_start(settings: Settings, store: Store) -> None:
    """ConfigError if this program cannot open the secrets of its store, or use the place of bodies.

    For programs that run for long, at first.

    The key of a data folder is made when it is needed first.
    """
    if settings.store is not None or settings.vault.is_given:
        store.key("start")
    if store.body_place is not None:
        store.body_place.check()
