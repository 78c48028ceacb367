"""What sources see of documents whose text is another source's: their own way of reading, to tell a change from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._part import Part
from veille.adapters.stores.sqlite._rows import packed
from veille.core.models import Document

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


#: A document, a source, and what that saw of it.
_Seen = tuple[str, str, Document]
#: The documents that a source shows, though their text is another's.
SHARED = "SELECT document_id FROM views WHERE source_id = {}"


class Views(Part):
    """Written down in the transaction that decides whose text stands."""

    def note(self, seen: Iterable[_Seen], now: int) -> None:
        """What sources see of documents that are another's."""
        self._db.many(
            "INSERT INTO views (document_id, source_id, at, content_hash, title, text) "
            "SELECT id, ?2, ?3, ?4, ?5, iif(content_hash = ?4, NULL, ?6) FROM documents WHERE id = ?1 "
            "ON CONFLICT DO NOTHING",
            [
                (document_id, source_id, now, it.content_hash, it.title, packed(it.text) if it.shown else None)
                for document_id, source_id, it in seen
            ],
        )

    def take_over(self, taken: Sequence[tuple[str, str]]) -> None:
        """The text is this source's from now on; the one it belonged to saw it so. Before the new text is written."""
        self._db.many(
            "INSERT INTO views (document_id, source_id, at, content_hash, title) "
            "SELECT id, source_id, changed_at, content_hash, title FROM documents WHERE id = ?1 AND source_id <> ?2 "
            "ON CONFLICT DO NOTHING",
            taken,
        )
        self._db.many("DELETE FROM views WHERE document_id = ? AND source_id = ?", taken)

    def agree(self, seen: Iterable[_Seen]) -> None:
        """A source that sees what is the document's text now has no way of reading of its own."""
        self._db.many(
            "UPDATE views SET content_hash = ?3, title = ?4, text = NULL WHERE document_id = ?1 AND source_id = ?2 "
            "AND EXISTS (SELECT 1 FROM documents WHERE id = ?1 AND content_hash = ?3)",
            [(document_id, source_id, it.content_hash, it.title) for document_id, source_id, it in seen],
        )
