"""Reading a backup as an untrusted file: every size, name and checksum is verified."""

from __future__ import annotations

import hashlib
import os
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from mmap import ACCESS_READ, mmap
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from veille.adapters.backup.files import STEP
from veille.core.archive.backups import MANIFEST, MAX_MANIFEST, Packed, check_members, read_manifest
from veille.core.archive.zips import spans
from veille.errors import ConfigError, ReadError

#: The library fails on broken zips in all these ways.
_BROKEN = (
    BadZipFile, EOFError, IndexError, NotImplementedError, OverflowError, RuntimeError, ValueError, struct.error,
    zlib.error,
)  # fmt: skip


class Unpacking:
    """A backup whose members match its manifest."""

    def __init__(self, archive: ZipFile, data: mmap) -> None:
        self._archive = archive
        infos = archive.infolist()
        about = [info for info in infos if info.filename == MANIFEST]
        if not about or about[0].file_size > MAX_MANIFEST:
            raise ReadError(f"It is no backup of veille's: it has no {MANIFEST}.", code="backup.not_a_backup")
        with archive.open(about[0]) as file:
            self.manifest = read_manifest(file.read(MAX_MANIFEST))
        check_members(self.manifest, infos, len(data))
        spans(data, infos)

    def take_out(self, packed: Packed, path: Path) -> None:
        """Write a member to a new file; ReadError as soon as it differs from the manifest."""
        digest, size = hashlib.sha256(), 0
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "wb") as target, _whole(), self._archive.open(packed.name) as source:
            while piece := source.read(STEP):
                size += len(piece)
                if size > packed.bytes:
                    break
                digest.update(piece)
                target.write(piece)
            target.flush()
            os.fsync(descriptor)
        if (size, digest.hexdigest()) != (packed.bytes, packed.sha256):
            raise ReadError(
                f"It is damaged: {packed.name} is not what the manifest says. Use another backup.",
                code="backup.damaged",
            )


@contextmanager
def unpacking(path: Path) -> Iterator[Unpacking]:
    """Open the backup in a file."""
    try:
        file = path.open("rb")
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be read ({error.strerror}): check its name and rights.", code="bad_file"
        ) from error
    with file:
        try:
            data = mmap(file.fileno(), 0, access=ACCESS_READ)
            archive = ZipFile(file)
        except (*_BROKEN, OSError) as error:
            raise ReadError(f"{path} is no backup of veille's: it is no zip.", code="backup.not_a_backup") from error
        with data, archive:
            with _whole():
                found = Unpacking(archive, data)
            yield found


@contextmanager
def _whole() -> Iterator[None]:
    try:
        yield
    except _BROKEN as error:
        raise ReadError(f"It is damaged: {error}. Use another backup.", code="backup.damaged") from error
    except ReadError as error:
        if error.code.startswith("backup."):
            raise
        code = "backup.hostile" if error.code == "hostile" else "backup.damaged"
        raise ReadError(f"This is no backup as veille makes them: {error}", code=code) from error
