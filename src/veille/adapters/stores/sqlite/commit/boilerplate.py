"""What the pages of a source have in common, learned from a sample of the stored pages."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._rows import as_json, marks_from
from veille.core.archive.kept_contents import unpacked
from veille.core.compare.boilerplate import LEAST_PAGES, Boilerplate, learned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from veille.adapters.stores.database import Database

#: Pages in the sample; it is learned again after as many questions, which takes a dozen milliseconds.
_PAGES = 60
#: The most sources whose boilerplate is cached.
_MOST_SOURCES = 100

_Pages = dict[str, list[tuple[str, str, tuple[int, ...]]]]


class SqliteBoilerplate:
    """A cache for all transactions of a dossier: pages change one by one, what they have in common changes seldom."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._known: dict[str, tuple[int, Boilerplate]] = {}

    def of(self, source_ids: Sequence[str]) -> dict[str, Boilerplate]:
        """The boilerplate of each source."""
        new = [source_id for source_id in source_ids if not self._known.get(source_id, (0,))[0]]
        pages = self._pages(new) if new else {}
        for source_id in new:
            self._known[source_id] = len(pages[source_id]) + 1, learned(pages[source_id])
        found = {}
        for source_id in source_ids:
            left, found[source_id] = self._known.pop(source_id)
            self._known[source_id] = left - 1, found[source_id]
        for source_id in list(self._known)[:-_MOST_SOURCES]:
            del self._known[source_id]
        return found

    def _pages(self, source_ids: Sequence[str]) -> _Pages:
        rows: dict[str, list[int]] = defaultdict(list)
        for source_id, row in self._db.execute(
            "SELECT source_id, row FROM documents WHERE source_id IN (SELECT value FROM json_each(?)) "
            "AND state = 'current' ORDER BY source_id, changed_at, row",
            (as_json(source_ids),),
        ):
            rows[source_id].append(row)
        # Fewer pages show nothing in common.
        some = [row for of in rows.values() if len(of) >= LEAST_PAGES for row in of[:: max(1, len(of) // _PAGES)]]
        pages: _Pages = {source_id: [] for source_id in source_ids}
        if some:
            for source_id, title, text, beside in self._db.execute(
                "SELECT source_id, documents.title, text, beside FROM documents "
                "JOIN revisions ON revisions.id = revision_id "
                "WHERE row IN (SELECT value FROM json_each(?)) ORDER BY extracted_at, row",
                (as_json(some),),
            ):
                pages[source_id].append((title, unpacked(text), marks_from(beside)))
        return pages
