"""Backup format: a zip of databases and archive files, and a `manifest.json` with their names, sizes and hashes.

The databases are `catalog.db` and `dossiers/<id>.db`, the archive files of a dossier are in `dossiers/<id>.archive/`.

    read_manifest(data)                         the validated Manifest
    check_members(manifest, infos, size)        the members match the manifest, and there are no others

Invalid backups raise ReadError; no untrusted name is ever used as a path.
"""

from __future__ import annotations

import json
import stat
from collections.abc import Sequence
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipInfo

from pydantic import ConfigDict, Field, ValidationError

from veille.core.archive.backup_names import CATALOG, WITH_BODIES, archive_of, dossier_of
from veille.core.models import StrictModel
from veille.errors import ReadError

FORMAT = "veille-backup"
VERSION = WITH_BODIES
MANIFEST = "manifest.json"
#: Enough for a hundred thousand dossiers.
MAX_MANIFEST = 32 * 1024 * 1024
#: Maximum compression ratio, checked above a total size of `RATIO_FROM`; dossiers reach 10.
MAX_RATIO, RATIO_FROM = 200, 256 * 1024 * 1024

_ENCRYPTED = 0x1


class Packed(StrictModel):
    """One file of a backup."""

    model_config = ConfigDict(strict=True)

    name: str
    bytes: int = Field(ge=0)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")


class Manifest(StrictModel):
    """The manifest of a backup."""

    format: str = FORMAT
    version: int = VERSION
    #: The version of the program that made it, and when it started.
    veille: str
    created_at: str
    files: tuple[Packed, ...]

    @property
    def bytes(self) -> int:
        """Total size of all files."""
        return sum(file.bytes for file in self.files)


def read_manifest(data: bytes) -> Manifest:
    """Parse and validate a manifest; ReadError if it is invalid."""
    try:
        found = json.loads(data)
        version = found["version"] if found["format"] == FORMAT else None
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise ReadError("Its manifest is not one of veille's.", code="backup.not_a_backup") from error
    if not isinstance(version, int):
        raise ReadError("Its manifest is not one of veille's.", code="backup.not_a_backup")
    if version > VERSION:
        raise newer()
    try:
        manifest = Manifest.model_validate(found)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise ReadError(f"Its manifest is damaged: {where}: {first['msg']}.", code="backup.damaged") from error
    _check_names([file.name for file in manifest.files])
    return manifest


def newer() -> ReadError:
    """The error for a backup that needs a newer version of the program."""
    return ReadError("It was made by a newer veille: upgrade this one first.", code="backup.newer")


def check_members(manifest: Manifest, infos: Sequence[ZipInfo], size: int) -> None:
    """Raise ReadError unless the zip has exactly the members of the manifest, each a regular file of the given size."""
    for info in infos:
        _check_plain(info)
    names = [info.filename for info in infos]
    if len(set(names)) < len(names):
        raise _hostile("two of its members have the same name")
    wanted = {file.name: file.bytes for file in manifest.files}
    if extra := set(names) - set(wanted) - {MANIFEST}:
        raise _hostile(f"it has a member that its manifest does not name, {min(extra)[:100]!r}")
    if missing := set(wanted) - set(names):
        raise ReadError(f"It is not whole: {min(missing)} is missing.", code="backup.damaged")
    for info in infos:
        if info.filename != MANIFEST and info.file_size != wanted[info.filename]:
            raise _hostile(f"{info.filename} is said to have two different sizes")
    if manifest.bytes > max(RATIO_FROM, MAX_RATIO * size):
        raise _hostile("it would unpack to far more than any backup does")


def _check_plain(info: ZipInfo) -> None:
    """Refuse odd members: `zipfile` truncates names at a NUL, and treats links and folders as files."""
    kind = stat.S_IFMT(info.external_attr >> 16)
    if info.orig_filename != info.filename or info.is_dir() or kind not in {0, stat.S_IFREG}:
        raise _hostile(f"{info.filename[:100]!r} is no plain file")
    if info.flag_bits & _ENCRYPTED or info.compress_type not in {ZIP_STORED, ZIP_DEFLATED}:
        raise _hostile(f"{info.filename[:100]!r} is encrypted, or packed in another way")


def _check_names(names: Sequence[str]) -> None:
    for name in names:
        if name != CATALOG and dossier_of(name) is None and archive_of(name) is None:
            raise _hostile(f"no file of a backup is called {name[:100]!r}")
    if len(set(names)) < len(names):
        raise _hostile("its manifest names a file twice")
    if CATALOG not in names:
        raise ReadError(f"It is not whole: its manifest does not name {CATALOG}.", code="backup.damaged")
    if {found[0] for found in map(archive_of, names) if found} - {dossier_of(name) for name in names}:
        raise _hostile("it has an archive file of a dossier that is not in it")


def _hostile(what: str) -> ReadError:
    return ReadError(
        f"This is no backup as veille makes them: {what}. Nothing was restored; use one you made yourself.",
        code="backup.hostile",
    )
