"""Checks that need the adapters or the disk: whether settings can be used, and who can read the data folder."""

from __future__ import annotations

import os
import ssl
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from veille.adapters.bodies import place_of
from veille.adapters.given_key import given_key
from veille.adapters.private import close_to_others, open_to_others
from veille.bootstrap._channels import CHANNELS
from veille.bootstrap._outlets import EMBEDDERS, Outlets
from veille.bootstrap._outside import variables
from veille.bootstrap.stores import check_address
from veille.configuration import problem_of
from veille.core.kinds import kind_names
from veille.errors import ConfigError, SettingError, did_you_mean
from veille.ports import Embedder
from veille.ports.channels import Channel
from veille.registry import is_known, load, names
from veille.settings import NO_MODEL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from veille.ports import Clock, Store
    from veille.settings import Settings


def check_settings(settings: Settings, clock: Clock) -> None:
    """SettingError if the program cannot work with these settings."""
    check_places(settings)
    name = next(iter(settings.vault.given), "key_command")
    if name != "key_command":  # which is run when a program first needs the key
        with _at_its_place(settings, name):
            given_key(settings.vault)
    place_of(settings.bodies, settings.place("bodies", "place"))
    _check_embedders(settings)
    with closing(Outlets(settings, clock)) as outlets:
        outlets.sinks()
    if settings.model.kind != NO_MODEL or settings.model.options:
        from veille.bootstrap._models import model_tools  # noqa: PLC0415 - few installations have a model

        model_tools(settings, clock)


def check_places(settings: Settings) -> None:
    """SettingError if a folder, the certificates or the name of an outside service cannot be used."""
    _check_folder(settings.place("data"), settings.data)
    for root in settings.fetch.file_roots:
        _check_folder(settings.place("fetch", "file_roots"), root)
    for place, folder in _folders_of_sinks(settings):
        _check_folder(place, folder)
    check_address(settings)
    for key, certificates in (
        (("fetch", "ca_file"), settings.fetch.ca_file),
        (("alerts", "mail", "ca_file"), settings.alerts.mail.ca_file),
    ):
        _check_certificates(settings.place(*key), certificates)
    _check_names(settings)
    try:
        variables(settings.fetch.allow_env)
    except ConfigError as error:
        raise SettingError(f"{settings.place('fetch', 'allow_env')}: {error}", code=error.code) from error
    # An outside service never replaces a built-in kind.
    for taken in sorted(set(settings.bridges) & set(kind_names())):
        raise SettingError(
            f"{settings.place('bridges', taken)}: there is a kind of that name already; give the service another.",
            code="bad_bridge",
        )


def _folders_of_sinks(settings: Settings) -> Iterator[tuple[str, Path]]:
    """The folders that sinks write in, and where these are set."""
    if settings.buffer_dir is not None:
        yield settings.place("buffer_dir"), settings.buffer_dir
    for name, options in settings.sinks.items():
        if isinstance(options.get("folder"), str):
            yield settings.place("sinks", name, "folder"), Path(options["folder"])


def _check_folder(place: str, folder: Path, *, is_written: bool = False) -> None:
    """SettingError if it is a file, or in one, or cannot be written if that is wanted; it may be missing."""
    try:
        folder.exists()  # which is told of a name that is too long
        found = next((one for one in (folder, *folder.parents) if os.path.lexists(one)), Path())
        is_folder = found.is_dir()
    except OSError as error:
        raise SettingError(f"{place}: {folder} cannot be used ({error.strerror}).") from error
    if not is_folder:
        raise SettingError(f"{place}: {found} is a file; name a folder.")
    if is_written:
        try:
            # Tried, as root may write anywhere, and cannot write everywhere.
            Path(tempfile.mkdtemp(prefix=".veille-", dir=found)).rmdir()
        except OSError as error:
            raise SettingError(
                f"{place}: {folder} cannot be written by this user ({error.strerror}): check the rights of {found}."
            ) from error


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


def _check_embedders(settings: Settings) -> None:
    """SettingError for wrong options of embedders; none is made, which may take long."""
    for label, options in settings.meaning.options.items():
        kind = load(EMBEDDERS, str(options.get("kind", label)), Embedder)
        try:
            kind.Config.model_validate({name: one for name, one in options.items() if name != "kind"})
        except ValidationError as error:
            key, problem = problem_of(error, kind.Config)
            raise SettingError(
                f"{settings.place('meaning', 'options', label, *key)}{problem}", code="bad_option"
            ) from error


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
    """ConfigError if this program cannot open the secrets of its store, or write in the folders of sinks and bodies.

    For programs that run for long, at first.

    The key of a data folder is made when it is needed first.
    """
    for place, folder in _folders_of_sinks(settings):
        _check_folder(place, folder, is_written=True)
    _check_embedders(settings)
    if settings.store is not None or settings.vault.is_given:
        _check_key(settings, store)
    if store.body_place is not None:
        store.body_place.check()


def _check_key(settings: Settings, store: Store) -> None:
    if not settings.vault.is_given:
        store.key("start")
        return
    with _at_its_place(settings, settings.vault.given[0]):
        store.key("start")


@contextmanager
def _at_its_place(settings: Settings, name: str) -> Iterator[None]:
    """What is wrong with the key of the settings is told with the place where that is written."""
    try:
        yield
    except ConfigError as error:
        problem = str(error).removeprefix(f"vault.{name}: ")
        raise SettingError(f"{settings.place('vault', name)}: {problem}", code=error.code) from error
