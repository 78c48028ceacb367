"""A dossier for a program with an event loop: every call works in a thread, and the loop goes on meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from veille.core.ask.passages import AskAnswer
    from veille.core.models import Source
    from veille.core.records import Event, Revision, RevisionLine, RunItem
    from veille.core.search.answers import Hit
    from veille.core.search.question import SearchMode
    from veille.core.values.value import ValuePoint
    from veille.library.dossier import WatchedDossier
    from veille.library.rows import ChangeRows, Rows


class AsyncDossier:
    """As `WatchedDossier`, with methods to await."""

    def __init__(self, dossier: WatchedDossier) -> None:
        self._dossier = dossier
        self.id, self.name = dossier.id, dossier.name

    def __repr__(self) -> str:
        return repr(self._dossier)

    async def add(self, url: str, **how: Any) -> Source:
        """Watch something; see `WatchedDossier.add`."""
        return await asyncio.to_thread(self._dossier.add, url, **how)

    async def remove(self, source: str | Source) -> None:
        """Watch a source no longer; it can be restored for seven days."""
        await asyncio.to_thread(self._dossier.remove, source)

    async def sources(self) -> Rows[Source]:
        """All sources, by name."""
        return await asyncio.to_thread(self._dossier.sources)

    async def check(self, *sources: str | Source) -> Rows[RunItem]:
        """Check these sources now, or all of them, and deliver what is new."""
        return await asyncio.to_thread(self._dossier.check, *sources)

    async def changes(self, since: str | int = "", limit: int = 1000) -> ChangeRows[Event]:
        """What is new, changed or removed since a cursor or number."""
        return await asyncio.to_thread(self._dossier.changes, since, limit)

    async def all_changes(self, since: str | int = "") -> AsyncIterator[Event]:
        """The same without a limit, read as they are needed."""
        while page := await self.changes(since):
            for event in page:
                yield event
            since = page.cursor

    async def search(self, query: str, limit: int = 20, *, mode: SearchMode | None = None) -> Rows[Hit]:
        """Documents that have these words, or answer this question."""
        return await asyncio.to_thread(self._dossier.search, query, limit, mode=mode)

    async def ask(self, question: str, limit: int = 5, *, with_model: bool = True) -> AskAnswer:
        """An answer in the very words of the documents."""
        return await asyncio.to_thread(self._dossier.ask, question, limit, with_model=with_model)

    async def documents(self, source: str | Source = "", limit: int = 1000) -> Rows[Revision]:
        """The current revisions of documents, last changed first."""
        return await asyncio.to_thread(self._dossier.documents, source, limit)

    async def document(self, document: str, revision: int | None = None) -> Revision:
        """A revision of a document with its text."""
        return await asyncio.to_thread(self._dossier.document, document, revision)

    async def revisions(self, document: str) -> Rows[RevisionLine]:
        """All revisions of a document without their texts, newest first."""
        return await asyncio.to_thread(self._dossier.revisions, document)

    async def values(self, source: str | Source = "", *, name: str = "", since: str = "") -> Rows[ValuePoint]:
        """Every point of the values that are followed."""
        return await asyncio.to_thread(self._dossier.values, source, name=name, since=since)
