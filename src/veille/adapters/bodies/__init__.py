"""Places for large bytes outside the store (the port `Bodies`); `place_of` finds the one of the settings."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from veille.errors import NotFoundError

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
    """The place of the settings; None if bodies stay in the store. `where` says where that is set, for messages."""
    if not settings.place:
        return None
    if settings.place.startswith("s3://"):
        from veille.adapters.bodies.s3 import S3Place  # noqa: PLC0415 - an extra

        return S3Place(settings, where)
    from veille.adapters.bodies.folder import BodyFolder  # noqa: PLC0415 - seldom needed

    return BodyFolder(Path(settings.place), where)
