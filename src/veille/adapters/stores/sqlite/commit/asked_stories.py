"""What the steps of a batch need of stories, asked for before any of it is waited for."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from veille.adapters.stores.sqlite._rows import as_json
from veille.core.language.stories import SignedText, StoryRows, Voice, signed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from veille.adapters.stores.database import Database, Row

VOICE = "SELECT story, signature, joined_at, document, voice FROM story_documents"
_SOME = "IN (SELECT value FROM json_each(?))"
_OF_DOCUMENTS = f"JOIN documents ON documents.row = document WHERE documents.id {_SOME}"
#: All of the stories of which one of these documents is a voice.
_NEIGHBOURS = f"{VOICE} WHERE story IN (SELECT story FROM story_documents {_OF_DOCUMENTS} AND voice = 1)"


class AskedStories:
    """The port `StoryRows`. What is seldom needed is left to `rows`, which waits for each of its answers."""

    def __init__(self, db: Database, texts: Mapping[str, str], changed: Collection[str], rows: StoryRows) -> None:
        self._rows = rows
        self.signed: dict[str, SignedText | None] = {text: signed(text) for text in texts.values() if text}
        self._marks = {mark for one in self.signed.values() if one is not None for mark in one.marks}
        self._ask_holders = db.later(f"SELECT mark, story FROM story_marks WHERE mark {_SOME}", (as_json(self._marks),))
        self._ask_last = db.later("SELECT coalesce(max(row), 0) FROM stories")
        self._ask_members: Callable[[], list[Row]] = list
        self._ask_neighbours: Callable[[], list[Row]] = list
        if changed:
            ids = (as_json(changed),)
            self._ask_members = db.later(f"{VOICE} {_OF_DOCUMENTS}", ids)
            self._ask_neighbours = db.later(_NEIGHBOURS, ids)

    @cached_property
    def _members(self) -> list[Voice]:
        return [Voice(*row) for row in self._ask_members()]

    @cached_property
    def _neighbours(self) -> list[Voice]:
        return [Voice(*row) for row in self._ask_neighbours()]

    @cached_property
    def _near(self) -> set[int]:
        """The stories of the neighbours."""
        return {one.story for one in self._neighbours}

    @cached_property
    def _holders(self) -> list[Row]:
        return self._ask_holders()

    @cached_property
    def _last(self) -> int:
        return int(self._ask_last()[0][0])

    def holders(self, marks: Iterable[int]) -> list[tuple[int, int]]:
        wanted = set(marks)
        found = [(mark, story) for mark, story in self._holders if mark in wanted]
        more = wanted - self._marks
        return [*found, *(self._rows.holders(more) if more else ())]

    def voices(self, stories: Iterable[int]) -> list[Voice]:
        return self._of(stories, self._rows.voices, is_voice=True)

    def others(self, stories: Iterable[int]) -> list[Voice]:
        return self._of(stories, self._rows.others, is_voice=False)

    def members(self, documents: Iterable[int]) -> list[Voice]:
        wanted = set(documents)
        return [one for one in self._members if one.document in wanted]

    def last(self) -> int:
        return self._last

    def _of(
        self, stories: Iterable[int], read: Callable[[Iterable[int]], Iterable[Voice]], *, is_voice: bool
    ) -> list[Voice]:
        wanted = set(stories)
        found = [one for one in self._neighbours if one.story in wanted and bool(one.voice) is is_voice]
        more = wanted - self._near
        return [*found, *(read(more) if more else ())]
