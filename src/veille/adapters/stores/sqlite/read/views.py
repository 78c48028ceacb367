"""What sources see of documents whose text is another source's: their own way of reading, to tell a change from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._part import Part
from veille.adapters.stores.sqlite._rows import packed

if TYPE_CHECKING:
    from veille.core.models import Document

VIEWS_SCHEMA = """
CREATE TABLE views (
    document_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    source_id TEXT NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    content_hash TEXT NOT NULL,
    title TEXT NOT NULL,
    text BLOB,                           -- zlib; NULL when it is the document's, or is never looked at line by line
    PRIMARY KEY (document_id, source_id)
) WITHOUT ROWID;
CREATE INDEX views_source ON views (source_id);
"""

#: The documents that a source shows, though their text is another's.
SHARED = "SELECT document_id FROM views WHERE source_id = {}"


class Views(Part):
    """Written down in the transaction that decides whose text stands."""

    def note(self, document_id: str, source_id: str, document: Document, now: int) -> None:
        """What a source sees of a document that is another's."""
        is_equal = self._db.value("SELECT content_hash FROM documents WHERE id = ?", (document_id,))
        text = packed(document.text) if document.shown and is_equal != document.content_hash else None
        self._db.execute(
            "INSERT INTO views (document_id, source_id, at, content_hash, title, text) VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT DO NOTHING",
            (document_id, source_id, now, document.content_hash, document.title, text),
        )

    def take_over(self, document_id: str, source_id: str) -> None:
        """The text is this source's from now on; whose it was, that one saw it so. Before the new text is written."""
        self._db.execute(
            "INSERT INTO views (document_id, source_id, at, content_hash, title) "
            "SELECT id, source_id, changed_at, content_hash, title FROM documents WHERE id = ?1 AND source_id <> ?2 "
            "ON CONFLICT DO NOTHING",
            (document_id, source_id),
        )
        self._db.execute("DELETE FROM views WHERE document_id = ? AND source_id = ?", (document_id, source_id))

    def agree(self, document_id: str, source_id: str, document: Document) -> None:
        """A source that sees what is the document's text now has no way of reading of its own."""
        self._db.execute(
            "UPDATE views SET content_hash = ?3, title = ?4, text = NULL WHERE document_id = ?1 AND source_id = ?2 "
            "AND EXISTS (SELECT 1 FROM documents WHERE id = ?1 AND content_hash = ?3)",
            (document_id, source_id, document.content_hash, document.title),
        )
