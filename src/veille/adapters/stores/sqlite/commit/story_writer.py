"""Where new texts find their story. Numpy compares them, so this is loaded only where documents come and go."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite.read.stories import OLDEST_FIRST
from veille.core.fingerprint import uuid7
from veille.core.language.similar import from_bytes, signature
from veille.core.language.stories import COMMON_MARK, MAX_VOICES, Voice, candidates, placed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from veille.adapters.stores.sqlite._db import Database


class StoryDesk:
    """Keeps the stories true, inside the write transaction that changes the documents."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def join(self, document: int, document_id: str, text: str, now: int) -> None:
        """Put a new text where it belongs; a document that is in a story must leave it first."""
        newcomer = signature(text)
        if newcomer is None:
            return
        marks, packed = newcomer.marks(), bytes(newcomer)
        holders = self._holders(marks)
        rivals = candidates(holders)
        place = placed(newcomer, self._voices(rivals) if rivals else ())
        story = place.story or self._found(uuid7(now, "story", document_id, packed.hex()))
        self._db.execute(
            "INSERT INTO story_documents (document, story, joined_at, voice, signature) VALUES (?, ?, ?, ?, ?)",
            (document, story, now, int(place.voice), packed),
        )
        if place.voice:
            self._index(marks, story, holders)
        for other in place.merged:
            self._merge(other, story)

    def leave(self, document: int) -> None:
        """Take a document out of its story; the story stays as long as anybody is in it."""
        rows = self._db.execute(
            "DELETE FROM story_documents WHERE document = ? RETURNING story, voice, signature", (document,)
        )
        for story, voice, packed in rows:
            if voice:
                self._unindex(story, from_bytes(packed).marks())
                self._promote(story)

    def _found(self, story_id: str) -> int:
        return int(self._db.value("INSERT INTO stories (id) VALUES (?) RETURNING row", (story_id,)))

    def _holders(self, marks: list[int]) -> dict[int, list[int]]:
        """The stories that have each of the marks."""
        holders: dict[int, list[int]] = defaultdict(list)
        slots = ", ".join("?" * len(marks))
        for mark, story in self._db.execute(f"SELECT mark, story FROM story_marks WHERE mark IN ({slots})", marks):
            holders[mark].append(story)
        return holders

    def _voices(self, stories: list[int]) -> list[Voice]:
        """The voices of the stories, those of one story in a row, its founder first."""
        rows = self._db.execute(
            f"SELECT story, signature FROM story_documents WHERE story IN ({', '.join('?' * len(stories))}) "
            "AND voice = 1 ORDER BY story, joined_at, document",
            stories,
        )
        return [Voice(*row) for row in rows]

    def _index(self, marks: list[int], story: int, holders: dict[int, list[int]]) -> None:
        wanted = [mark for mark in marks if story not in holders[mark] and len(holders[mark]) < COMMON_MARK]
        self._db.many("INSERT INTO story_marks (mark, story) VALUES (?, ?)", [(mark, story) for mark in wanted])

    def _unindex(self, story: int, marks: Iterable[int]) -> None:
        """Forget marks that no voice of the story has any more."""
        held = {mark for voice in self._voices([story]) for mark in from_bytes(voice.signature).marks()}
        gone = [(mark, story) for mark in marks if mark not in held]
        self._db.many("DELETE FROM story_marks WHERE mark = ? AND story = ?", gone)

    def _promote(self, story: int) -> None:
        """A voice left: the oldest of the others is heard instead; a story without anybody ends."""
        rows = self._db.execute(
            "UPDATE story_documents SET voice = 1 WHERE document = (SELECT document FROM story_documents "
            f"WHERE story = ? AND voice = 0 {OLDEST_FIRST} LIMIT 1) RETURNING signature",
            (story,),
        )
        for (packed,) in rows:
            marks = from_bytes(packed).marks()
            self._index(marks, story, self._holders(marks))
        self._db.execute(
            "DELETE FROM stories WHERE row = ?1 AND NOT EXISTS (SELECT 1 FROM story_documents WHERE story = ?1)",
            (story,),
        )

    def _merge(self, other: int, story: int) -> None:
        """Two stories are one: the documents of the other move."""
        room = MAX_VOICES - len(self._voices([story]))
        rows = self._db.execute(
            f"SELECT document, voice, signature FROM story_documents WHERE story = ? {OLDEST_FIRST}", (other,)
        )
        voices = [(document, from_bytes(packed)) for document, voice, packed in rows if voice]
        gone = {mark for _, signed in voices for mark in signed.marks()}
        self._db.many("DELETE FROM story_marks WHERE mark = ? AND story = ?", [(mark, other) for mark in gone])
        self._db.execute("UPDATE story_documents SET story = ?, voice = 0 WHERE story = ?", (story, other))
        for document, signed in voices[:room]:
            self._db.execute("UPDATE story_documents SET voice = 1 WHERE document = ?", (document,))
            marks = signed.marks()
            self._index(marks, story, self._holders(marks))
        self._db.execute("DELETE FROM stories WHERE row = ?", (other,))
