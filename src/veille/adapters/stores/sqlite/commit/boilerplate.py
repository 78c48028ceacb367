"""What the pages of a source have in common, learned from some of those that are stored."""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._rows import marks_from
from veille.core.compare.boilerplate import LEAST_PAGES, NO_BOILERPLATE, Boilerplate, learned

if TYPE_CHECKING:
    from veille.adapters.stores.sqlite._db import Database

#: Of so many pages it is learned, and after as many questions it is learned anew: a dozen milliseconds each time.
_PAGES = 60
#: Of more sources it is not kept at once.
_MOST_SOURCES = 100


class SqliteBoilerplate:
    """Answers for all transactions of a dossier, as pages change one by one, and what they have in common seldom."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._known: dict[str, tuple[int, Boilerplate]] = {}

    def of(self, source_id: str) -> Boilerplate:
        """As far as some pages of the source tell."""
        left, found = self._known.pop(source_id, (0, NO_BOILERPLATE))
        if not left:
            pages = self._pages(source_id)
            left, found = len(pages) + 1, learned(pages)
        self._known[source_id] = left - 1, found
        if len(self._known) > _MOST_SOURCES:
            del self._known[next(iter(self._known))]
        return found

    def _pages(self, source_id: str) -> list[tuple[str, str, tuple[int, ...]]]:
        rows = self._db.execute(
            "SELECT row FROM documents WHERE source_id = ? AND state = 'current' ORDER BY changed_at, row", (source_id,)
        )
        if len(rows) < LEAST_PAGES:
            return []
        some = [row for (row,) in rows[:: max(1, len(rows) // _PAGES)]]
        pages = self._db.execute(
            "SELECT documents.title, text, beside FROM documents JOIN revisions ON revisions.id = revision_id "
            "WHERE row IN (SELECT value FROM json_each(?)) ORDER BY extracted_at, row",
            (json.dumps(some),),
        )
        return [(title, zlib.decompress(text).decode(), marks_from(beside)) for title, text, beside in pages]
