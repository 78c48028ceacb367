"""Kept pictures of revisions, and what a page looked like when a step failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._part import Part
from veille.adapters.stores.sqlite._rows import as_json
from veille.adapters.stores.sqlite.stored_bodies import PICTURE, picture_bytes
from veille.errors import NotFoundError, ReadError, StoreError
from veille.ports.pictures import FailedStep, KeptPicture

if TYPE_CHECKING:
    from collections.abc import Sequence

    from veille.adapters.stores.database import Row


class SqlitePictures(Part):
    """The port `Pictures`."""

    def of_revision(self, document_id: str, n: int) -> KeptPicture | None:
        rows = self._db.execute(
            "SELECT hash, width, height FROM revisions JOIN revision_pictures ON revision_id = revisions.id "
            "JOIN pictures USING (hash) WHERE document_id = ? AND n <= ? ORDER BY n DESC LIMIT 1",
            (document_id, n),
        )
        return KeptPicture(hash=rows[0][0], width=rows[0][1], height=rows[0][2]) if rows else None

    def load(self, picture: KeptPicture) -> bytes:
        rows = self._db.execute(f"SELECT {PICTURE} FROM pictures WHERE hash = ?", (picture.hash,))
        if not rows:
            raise NotFoundError("This picture was deleted.", code="no_picture")
        return picture_bytes(self._db, rows[0])

    def numbers(self, document_id: str) -> list[int]:
        return self._db.column(
            "SELECT n FROM revisions JOIN revision_pictures ON revision_id = revisions.id "
            "WHERE document_id = ? ORDER BY n",
            (document_id,),
        )

    def pictured(self, revision_ids: Sequence[str]) -> set[str]:
        return set(
            self._db.column(
                "SELECT revision_id FROM revision_pictures WHERE revision_id IN (SELECT value FROM json_each(?))",
                (as_json(revision_ids),),
            )
        )

    def to_compare(self, source_id: str, request_id: str) -> tuple[bytes, bytes]:
        kept = self._db.execute(
            f"SELECT {PICTURE} FROM documents JOIN revisions ON revisions.document_id = documents.id "
            "JOIN revision_pictures ON revision_pictures.revision_id = revisions.id JOIN pictures "
            "ON pictures.hash = revision_pictures.hash WHERE source_id = ? AND state = 'current' "
            "ORDER BY extracted_at DESC, n DESC LIMIT 1",
            (source_id,),
        )
        first = self._db.value("SELECT data FROM first_pictures WHERE request_id = ?", (request_id,))
        return self._readable(kept[0]) if kept else b"", first or b""

    def _readable(self, row: Row) -> bytes:
        """A picture; nothing if it cannot be read now, which is told where it is asked for: the check goes on."""
        try:
            return picture_bytes(self._db, row)
        except (ReadError, StoreError):
            return b""

    def failed_step(self, source_id: str) -> FailedStep | None:
        rows = self._db.execute("SELECT at, message, data FROM failed_steps WHERE source_id = ?", (source_id,))
        return FailedStep(at=rows[0][0], message=rows[0][1], data=rows[0][2]) if rows else None
