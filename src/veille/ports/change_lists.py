"""The changes of a dossier for lists: which to show, and what stands beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from veille.core.records import Event
    from veille.core.show.change_rows import ChangeFilter, ChangeLine


class ChangeLists(Protocol):
    """Changes of existing documents, without those that rules hid or that only have another date."""

    def page(self, wanted: ChangeFilter, before: int | None, limit: int) -> tuple[list[ChangeLine], int]:
        """Changes with numbers below `before`, newest first; and the number to go on below, 0 if there are no more.

        A page that looked at very many changes may have fewer than `limit`, or none, and still not be the last.
        """

    def unread_of(self, user_id: str, document_ids: Sequence[str], limit: int) -> dict[str, list[Event]]:
        """The changes of these documents that a user has not read, newest first, at most so many in all."""

    def last_of(self, document_ids: Sequence[str]) -> dict[str, Event]:
        """The last change of each of these documents, by document."""

    def at_times(self, found: Sequence[tuple[str, int]]) -> dict[tuple[str, int], Event]:
        """The change of a document at a time, by both."""

    def rules_of(self, events: Sequence[Event]) -> dict[int, tuple[str, ...]]:
        """The names of the rules that found these changes, or the story of one, by the number of the change."""

    def tellers(self, document_ids: Sequence[str]) -> dict[str, tuple[str, int]]:
        """The story of each document that others tell, too, and how many these are."""

    def trends(self, named: Sequence[tuple[str, str]], limit: int) -> dict[tuple[str, str], list[float]]:
        """The last numbers of these values, oldest first, by document and name."""
