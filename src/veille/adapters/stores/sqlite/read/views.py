"""How sources see documents whose text another source owns, so that only a real change counts as one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._part import Part
from veille.core.archive.kept_contents import packed
from veille.core.models import Document

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


#: The ids of a document and a source, and the document as that source saw it.
_Seen = tuple[str, str, Document]
#: The documents that a source shows although another source owns their text.
SHARED = "SELECT document_id FROM views WHERE source_id = {}"


class Views(Part):
    """Written in the transaction that decides which source owns the text."""

    def note(self, seen: Iterable[_Seen], now: int) -> None:
        """Store how sources see documents that another source owns."""
        self._db.many(
            "INSERT INTO views (document_id, source_id, at, content_hash, title, text) "
            "SELECT id, ?2, ?3, ?4, ?5, CAST(iif(content_hash = ?4, NULL, ?6) AS BLOB) FROM documents WHERE id = ?1 "
            "ON CONFLICT DO NOTHING",
            [
                (document_id, source_id, now, it.content_hash, it.title, packed(it.text) if it.shown else None)
                for document_id, source_id, it in seen
            ],
        )

    def take_over(self, taken: Sequence[tuple[str, str]]) -> None:
        """Make this source the owner of the text, and keep the former owner's view; before the new text is written."""
        self._db.many(
            "INSERT INTO views (document_id, source_id, at, content_hash, title) "
            "SELECT id, source_id, changed_at, content_hash, title FROM documents WHERE id = ?1 AND source_id <> ?2 "
            "ON CONFLICT DO NOTHING",
            taken,
        )
        self._db.many("DELETE FROM views WHERE document_id = ? AND source_id = ?", taken)

    def agree(self, seen: Iterable[_Seen]) -> None:
        """Drop the own text of a source that now sees the document's text."""
        self._db.many(
            "UPDATE views SET content_hash = ?3, title = ?4, text = NULL WHERE document_id = ?1 AND source_id = ?2 "
            "AND EXISTS (SELECT 1 FROM documents WHERE id = ?1 AND content_hash = ?3)",
            [(document_id, source_id, it.content_hash, it.title) for document_id, source_id, it in seen],
        )
