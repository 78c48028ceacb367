"""The names of the files in a backup: the catalog, and the database and the archive files of each dossier."""

from __future__ import annotations

import re
from collections.abc import Iterable

CATALOG = "catalog.db"
#: The first version of the format that has archive files; a backup without any can be read by older programs, too.
WITH_ARCHIVES = 2
#: The first that has segments of bodies, and archive files that came with a source from another dossier.
WITH_BODIES = 3
_WITHOUT_ARCHIVES = 1

_ID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_DOSSIER = re.compile(rf"dossiers/({_ID})\.db")
_ARCHIVE = re.compile(rf"dossiers/({_ID})\.archive/([0-9a-z][0-9a-z-]{{0,200}}\.(?:jsonl\.zst|warc\.gz))")


def member_of(dossier_id: str) -> str:
    """The name of a dossier's file in a backup."""
    return f"dossiers/{dossier_id}.db"


def dossier_of(name: str) -> str | None:
    """The dossier of a file name; None if it is not the file of a dossier."""
    found = _DOSSIER.fullmatch(name)
    return found[1] if found else None


def archive_member(dossier_id: str, file: str) -> str:
    """The name of an archive file of a dossier in a backup."""
    return f"dossiers/{dossier_id}.archive/{file}"


def archive_of(name: str) -> tuple[str, str] | None:
    """The dossier and the archive file that have this name; None if it is another file."""
    found = _ARCHIVE.fullmatch(name)
    return (found[1], found[2]) if found else None


def version_of(names: Iterable[str]) -> int:
    """The version of a backup with these files."""
    archives = [found[1] for found in map(archive_of, names) if found]
    if any(one.endswith(".warc.gz") or one.startswith("moved-") for one in archives):
        return WITH_BODIES
    return WITH_ARCHIVES if archives else _WITHOUT_ARCHIVES
