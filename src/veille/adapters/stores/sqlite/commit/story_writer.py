"""Read and write the rows of stories, for many documents at once; `core.language.stories` decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._rows import as_json
from veille.adapters.stores.sqlite.commit.asked_stories import VOICE, AskedStories
from veille.core.language.stories import MAX_VOICES, StoryBook, StoryStep, Voice

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from veille.adapters.stores.database import Database, Row


class StoryDesk:
    """The port `StoryRows`, inside the write transaction that changes the documents."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def ask(self, texts: Mapping[str, str], changed: Collection[str]) -> AskedStories:
        """Ask for what the steps of these documents need, by their ids; those that changed may be in a story."""
        return AskedStories(self._db, texts, changed, self)

    def rearrange(self, steps: Sequence[StoryStep], now: int, asked: AskedStories | None = None) -> None:
        """Carry out the steps in their order."""
        left = list(steps)
        while left:
            book = StoryBook(self) if asked is None else StoryBook(asked, asked.signed)
            # After a merge it has to be read again.
            asked = None
            book.prepare(left)
            while left and book.merged is None:
                book.take(left.pop(0), now)
            self._write(book)

    def leave(self, documents: Iterable[int]) -> None:
        """Remove these documents from their stories."""
        self.rearrange([StoryStep(document) for document in documents], 0)

    def holders(self, marks: Iterable[int]) -> list[Row]:
        return self._some("SELECT mark, story FROM story_marks WHERE mark IN", marks)

    def voices(self, stories: Iterable[int]) -> list[Voice]:
        return [Voice(*row) for row in self._some(f"{VOICE} WHERE voice = 1 AND story IN", stories)]

    def others(self, stories: Iterable[int]) -> list[Voice]:
        return [Voice(*row) for row in self._some(f"{VOICE} WHERE voice = 0 AND story IN", stories)]

    def members(self, documents: Iterable[int]) -> list[Voice]:
        return [Voice(*row) for row in self._some(f"{VOICE} WHERE document IN", documents)]

    def last(self) -> int:
        return int(self._db.value("SELECT max(row) FROM stories") or 0)

    def _some(self, query: str, values: Iterable[int]) -> list[Row]:
        return self._db.execute(f"{query} (SELECT value FROM json_each(?))", (as_json(values),))

    def _write(self, book: StoryBook) -> None:
        if book.left:
            self._some("DELETE FROM story_documents WHERE document IN", book.left)
        self._db.many("INSERT INTO stories (row, id) VALUES (?, ?)", book.founded.items())
        self._db.many(
            "INSERT INTO story_documents (story, signature, joined_at, document, voice) VALUES (?, ?, ?, ?, ?)",
            book.joined.values(),
        )
        if promoted := book.promoted - book.left:
            self._some("UPDATE story_documents SET voice = 1 WHERE document IN", promoted)
        self._mark(book.marked)
        if book.ended:
            self._some(
                "DELETE FROM stories WHERE NOT EXISTS (SELECT 1 FROM story_documents WHERE story = row) AND row IN",
                book.ended,
            )
        if book.merged is not None:
            story, others = book.merged
            for other in others:
                self._merge(other, story)

    def _mark(self, marked: dict[tuple[int, int], bool]) -> None:
        gone = [pair for pair, has in marked.items() if not has]
        self._db.many("DELETE FROM story_marks WHERE mark = ? AND story = ?", gone)
        if come := [pair for pair, has in marked.items() if has]:
            self._db.execute(
                "INSERT OR IGNORE INTO story_marks (mark, story) SELECT CAST(value ->> 0 AS INTEGER), "
                "CAST(value ->> 1 AS INTEGER) FROM json_each(?)",
                (as_json(come),),
            )

    def _merge(self, other: int, story: int) -> None:
        """Merge `other` into `story`: all its documents move, and its oldest voices stay voices if there is room."""
        voices = sorted(self.voices([other]), key=lambda one: one.age)
        room = MAX_VOICES - len(self.voices([story]))
        self._mark(dict.fromkeys(((mark, other) for one in voices for mark in one.marks), False))
        self._db.execute("UPDATE story_documents SET story = ?, voice = 0 WHERE story = ?", (story, other))
        self._db.execute("DELETE FROM stories WHERE row = ?", (other,))
        book = StoryBook(self)
        for one in voices[: max(0, room)]:
            book.hear(one._replace(story=story))
        self._write(book)
