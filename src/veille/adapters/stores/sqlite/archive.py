"""The archive files of a dossier. A file is written once, and never changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.core.archive.archive_files import ArchivePlace, line_of, packed_lines, unpacked_answer
from veille.errors import NotFoundError, ReadError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from veille.adapters.stores.database import Database
    from veille.core.archive.kept_contents import Contents
    from veille.core.models import Json
    from veille.core.traffic import Payload


def write_archive(db: Database, name: str, documents: Mapping[str, Sequence[Json]]) -> dict[str, list[ArchivePlace]]:
    """Write a new file with the lines of each document; it is durable when this returns. Where each line is."""
    places: dict[str, list[ArchivePlace]] = {}
    frames = bytearray()
    for document_id, lines in documents.items():
        frame = packed_lines(lines)
        places[document_id] = [
            ArchivePlace(file=name, start=len(frames), length=len(frame), line=at) for at, _ in enumerate(lines)
        ]
        frames += frame
    db.files.put(name, bytes(frames))
    return places


def archived_contents(db: Database, revision_id: str) -> Contents:
    """The plain contents of an archived revision; ReadError if its file is not there or damaged."""
    found = _line(db, revision_id)
    if found is None:
        # Archived and removed again, or deleted, between two statements.
        raise NotFoundError("The content of this revision was removed at this moment.", code="revision_removed")
    return found["text"].encode(), found["html"].encode()


def archived_answer(db: Database, revision_id: str) -> Payload | None:
    """The answer in the archive that a revision was read from, if there is one; the same errors."""
    found = _line(db, revision_id)
    return unpacked_answer(found) if found else None


def _line(db: Database, revision_id: str) -> Json | None:
    """The line of a revision in its archive file; None if it is in none."""
    rows = db.execute("SELECT file, start, length, line FROM archived_revisions WHERE revision_id = ?", (revision_id,))
    if not rows:
        return None
    name, start, length, line = rows[0]
    try:
        frame = db.files.read(name, start, length)
    except NotFoundError as error:
        raise ReadError(
            f"This revision is archived in {name}, which is not in {db.files.where}: put it there to read the "
            "revision.",
            code="archive_missing",
        ) from error
    return line_of(frame, line)
