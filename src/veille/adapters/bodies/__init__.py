"""Places for large bytes outside the store (the port `Bodies`); `place_of` finds the one of the settings."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from veille.errors import ConfigError, NotFoundError, SettingError

if TYPE_CHECKING:
    from veille.ports.bodies import BodyPlace
    from veille.settings import BodySettings

#: What a file of a dossier may be called: never a path.
_NAME: Final = re.compile(r"[0-9a-z][0-9a-z-]{0,200}\.(?:warc\.gz|jsonl\.zst)")


def checked(name: str, where: str) -> str:
    """The name of a file; NotFoundError if none is called so. It may come from a backup of a stranger."""
    if not _NAME.fullmatch(name):
        raise missing(name, where)
    return name


def is_name(name: str) -> bool:
    """Whether a file may be one of ours."""
    return _NAME.fullmatch(name) is not None


def missing(name: str, where: str) -> NotFoundError:
    """The failure to find a file."""
    return NotFoundError(f"There is no file {name!r} in {where}.", code="bodies.missing")


def place_of(settings: BodySettings, where: str) -> BodyPlace | None:
    """The place of the settings; None if bodies stay in the store. SettingError if it needs what is not installed.

    `where` says where that is set, for messages.
    """
    if not settings.place:
        return None
    is_s3 = settings.place.startswith("s3://")
    for module, extra in (("warcio", "warc"), ("obstore", "s3" if is_s3 else "")):
        if extra and find_spec(module) is None:
            raise SettingError(
                f"{where}: bodies outside the store need an extra: pip install 'veille[{extra}]'.", code="needs_extra"
            )
    if is_s3:
        from veille.adapters.bodies.s3 import S3Place  # noqa: PLC0415 - an extra

        return S3Place(settings, where)
    from veille.adapters.bodies.folder import BodyFolder  # noqa: PLC0415 - seldom needed

    return BodyFolder(Path(settings.place), where)


def former_place(settings: BodySettings, written: str) -> BodyPlace:
    """A place that is given up, as it was written in the settings; ConfigError if it is none, or the one of now."""
    if written == settings.place:
        raise ConfigError(f"{written} is the place of now: name the one of before.", code="bodies.bad_former")
    try:
        before = type(settings).model_validate(settings.model_dump() | {"place": written})
    except ValueError as error:
        raise ConfigError(
            f"{written!r} is no place for bodies: name an absolute folder, or s3://bucket/prefix.",
            code="bodies.bad_former",
        ) from error
    place = place_of(before, "--from")
    if place is None or (not written.startswith("s3://") and not Path(written).is_dir()):
        raise ConfigError(f"There is no folder {written!r}.", code="bodies.bad_former")
    return place
