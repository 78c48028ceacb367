"""The stories of a dossier: groups of near-duplicates, found by the marks that they share."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._part import END, Part
from veille.core.search.answers import Story, StoryDocument, StoryLine
from veille.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterable


OLDEST_FIRST = "ORDER BY joined_at, document"
#: The limit comes before the joins: a long story costs no more than what is shown of it.
_FIRST = (
    "SELECT documents.id, documents.url, documents.title, documents.source_id, sources.name, documents.state, "
    f"joined_at FROM (SELECT document, joined_at FROM story_documents WHERE story = ? {OLDEST_FIRST} LIMIT ?) "
    "JOIN documents ON documents.row = document JOIN sources ON sources.id = documents.source_id "
    f"{OLDEST_FIRST}"
)


class SqliteStories(Part):
    """The port `Stories`."""

    def of(self, document_id: str, limit: int | None = None) -> Story | None:
        # A duplicate is in the story of the document whose text it repeats.
        found = self._db.value(
            "SELECT stories.id FROM documents AS asked JOIN documents ON documents.id = "
            "CASE WHEN asked.state = 'duplicate' THEN asked.duplicate_of ELSE asked.id END "
            "JOIN story_documents ON document = documents.row JOIN stories ON stories.row = story WHERE asked.id = ?",
            (document_id,),
        )
        story = self.find(found, limit) if found else None
        return story if story is not None and story.total > 1 else None

    def of_many(self, document_ids: Iterable[str]) -> dict[str, str]:
        rows = self._db.execute(
            "SELECT documents.id, stories.id FROM json_each(?) JOIN documents ON documents.id = value "
            "JOIN story_documents ON document = documents.row JOIN stories ON stories.row = story",
            (json.dumps(list(document_ids)),),
        )
        return dict(rows)

    def find(self, story_id: str, limit: int | None = None) -> Story:
        found = self._db.execute("SELECT row, documents FROM stories WHERE id = ?", (story_id,))
        rows = self._db.execute(_FIRST, (found[0][0], END if limit is None else limit)) if found else []
        if not rows:
            raise NotFoundError(f"There is no story {story_id!r}; `veille stories` lists them.", code="no_story")
        documents = tuple(StoryDocument(*row) for row in rows)
        return Story(id=story_id, documents=documents, total=len(documents) if limit is None else found[0][1])

    def all(self, limit: int = 50) -> list[Story]:
        last = "SELECT id FROM stories WHERE documents > 1 ORDER BY last_at DESC, row DESC LIMIT ?"
        return [self.find(story_id) for story_id in self._db.column(last, (limit,))]

    def lines(self, before: tuple[int, int] | None, limit: int) -> list[StoryLine]:
        last_at, row = before or (END, END)
        rows = self._db.execute(
            "SELECT stories.last_at, stories.row, stories.id, stories.documents, documents.title, documents.url, "
            "coalesce(sources.name, '') FROM stories "
            "JOIN documents ON documents.row = (SELECT document FROM story_documents WHERE story = stories.row "
            f"{OLDEST_FIRST} LIMIT 1) LEFT JOIN sources ON sources.id = documents.source_id "
            "WHERE stories.documents > 1 AND (stories.last_at, stories.row) < (?1, ?2) "
            "ORDER BY stories.last_at DESC, stories.row DESC LIMIT ?3",
            (last_at, row, limit),
        )
        return [StoryLine((row[0], row[1]), *row[2:]) for row in rows]
