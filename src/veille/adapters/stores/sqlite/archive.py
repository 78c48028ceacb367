"""The archive files of a dossier, in a folder beside its database. A file is written once, and never changed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from veille.adapters.files import sync_folder
from veille.adapters.private import private_folder
from veille.core.archive.archive_files import ArchivePlace, line_of, packed_lines
from veille.errors import ReadError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from veille.adapters.stores.database import Database
    from veille.core.archive.kept_contents import Contents
    from veille.core.models import Json


def archive_folder(database: Path) -> Path:
    """Where the archive files of a dossier are, by the path of its database."""
    return database.with_suffix(".archive")


def write_archive(db: Database, name: str, documents: Mapping[str, Sequence[Json]]) -> dict[str, list[ArchivePlace]]:
    """Write a new file with the lines of each document; it is on disk when this returns. Where each line is."""
    folder = archive_folder(db.path)
    private_folder(folder)
    places: dict[str, list[ArchivePlace]] = {}
    start = 0
    descriptor = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        for document_id, lines in documents.items():
            frame = packed_lines(lines)
            file.write(frame)
            places[document_id] = [
                ArchivePlace(file=name, start=start, length=len(frame), line=at) for at, _ in enumerate(lines)
            ]
            start += len(frame)
        file.flush()
        os.fsync(descriptor)
    sync_folder(folder)
    return places


def archived_contents(db: Database, revision_id: str) -> Contents:
    """The plain contents of an archived revision; ReadError if its file is not there or damaged."""
    rows = db.execute("SELECT file, start, length, line FROM archived_revisions WHERE revision_id = ?", (revision_id,))
    name, start, length, line = rows[0]
    path = archive_folder(db.path) / name
    try:
        with path.open("rb") as file:
            file.seek(start)
            frame = file.read(length)
    except OSError as error:
        raise ReadError(
            f"This revision is archived in {name}, which is not in {path.parent} ({error.strerror}): put it there to "
            "read the revision.",
            code="archive_missing",
        ) from error
    found = line_of(frame, line)
    return found["text"].encode(), found["html"].encode()


def drop_unused(db: Database, before: float) -> int:
    """Delete the files last written before a time (seconds since 1970) that no revision needs; returns how many."""
    needed = set(db.column("SELECT DISTINCT file FROM archived_revisions"))
    dropped = 0
    for path in archive_folder(db.path).glob("*.jsonl.zst"):
        # Younger files may be of a transaction that is not committed yet.
        if path.name not in needed and path.stat().st_mtime < before:
            path.unlink(missing_ok=True)
            dropped += 1
    return dropped
