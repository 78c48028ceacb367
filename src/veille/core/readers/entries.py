"""Lists of entries as the Miniflux protocol asks for them: by state, time, feed and number, in pages by offset."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any

from veille.core.readers.streams import ReaderItem

_ORDERS: dict[str, Callable[[ReaderItem], Any]] = {
    "id": lambda one: one.number,
    "status": lambda one: (one.is_unread, one.number),
    # An item is a change: that is when it was published, made and changed.
    "published_at": lambda one: (one.at, one.number),
    "created_at": lambda one: (one.at, one.number),
    "changed_at": lambda one: (one.at, one.number),
}
#: What a list can be ordered by, besides the names and numbers of categories.
ORDERS = tuple(_ORDERS)
BY_CATEGORY = ("category_id", "category_title")


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryQuery:
    """Which entries are asked for. Times are in milliseconds; None asks for any."""

    #: Only those of these feeds.
    feeds: Collection[int] | None = None
    #: Only those of these documents of dossiers.
    documents: Collection[tuple[str, str]] | None = None
    is_unread: bool | None = None
    is_kept: bool | None = None
    before: int | None = None
    after: int | None = None
    before_number: int | None = None
    after_number: int | None = None
    order: str = "published_at"
    #: Of each feed, for an order by category.
    categories: dict[int, Any] | None = None
    is_descending: bool = False

    def has(self, item: ReaderItem) -> bool:
        """Whether it asks for this item."""
        return (
            (self.feeds is None or item.feed in self.feeds)
            and (self.documents is None or (item.dossier_id, item.document_id) in self.documents)
            and self.is_unread in {None, item.is_unread}
            and self.is_kept in {None, item.is_kept}
            and self._is_between(item)
        )

    def _is_between(self, item: ReaderItem) -> bool:
        return (
            (self.before is None or item.at < self.before)
            and (self.after is None or item.at > self.after)
            and (self.before_number is None or item.number < self.before_number)
            and (self.after_number is None or item.number > self.after_number)
        )


def entries_of(items: Iterable[ReaderItem], query: EntryQuery) -> list[ReaderItem]:
    """All entries that are asked for, in order."""
    places, categories = _ORDERS.get(query.order), query.categories or {}

    def place(item: ReaderItem) -> Any:
        return places(item) if places else (categories.get(item.feed, 0), item.at, item.number)

    return sorted(filter(query.has, items), key=place, reverse=query.is_descending)
