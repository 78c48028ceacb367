"""What reader apps show and mark: sources as feeds, dossiers and tags as folders, documents as items.

An item is the last change of a document that is to be read: a document that changes again is a new item, so that apps,
which never fetch an item twice, show what changed. A mark on an item is about that change and not about later ones.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from veille.core.readers.item_html import item_html
from veille.core.readers.item_numbers import ItemNumbers
from veille.core.readers.streams import ReaderItem
from veille.core.report.tags import tag_named
from veille.errors import NotFoundError

if TYPE_CHECKING:
    from veille.core.models import Dossier, Source
    from veille.core.readers.marked import MarkedDocument
    from veille.core.records import Event, Revision
    from veille.ports import Clock, Dossiers, DossierStore
    from veille.ports.readers import ReaderNumbers

#: The most items whose content is sent at once.
MOST_CONTENTS = 1000
#: With this much HTML, an answer ends: it is built in memory, and apps ask again for what they did not get.
MOST_HTML = 20_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderFeed:
    """A source as a feed."""

    number: int
    dossier: Dossier
    source: Source
    #: The folders it is in: its dossier, and its tags.
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemContent:
    """An item with its content."""

    item: ReaderItem
    event: Event
    #: None if its content is not kept any more.
    revision: Revision | None
    html: str
    #: When it was published, or changed.
    shown_at: int


class ReaderAppService:
    """Feeds and items of the dossiers that an app may see."""

    def __init__(self, dossiers: Dossiers, numbers: ReaderNumbers, clock: Clock) -> None:
        self._dossiers = dossiers
        self._numbers = numbers
        self._clock = clock

    def feeds(self) -> list[ReaderFeed]:
        """The sources of all dossiers, by dossier and name."""
        found: list[tuple[Dossier, Source]] = []
        for dossier in self._dossiers.all():
            with self._dossiers.open(dossier.id) as store:
                found += [(dossier, one) for one in sorted(store.sources.all(), key=lambda one: one.name.casefold())]
        numbers = self._numbers.of_names([_source_name(source.id) for _, source in found])
        return [
            ReaderFeed(
                number=numbers[_source_name(source.id)],
                dossier=dossier,
                source=source,
                labels=(dossier.name, *(tag for tag in _tags(source) if tag != dossier.name)),
            )
            for dossier, source in found
        ]

    def label_numbers(self, labels: Collection[str]) -> dict[str, int]:
        """The number of each of these folders."""
        numbers = self._numbers.of_names([_label_name(label) for label in labels])
        return {label: numbers[_label_name(label)] for label in labels}

    def items(
        self, user_id: str, feeds: Sequence[ReaderFeed], *, only: Collection[str] | None = None, tagged: bool = False
    ) -> list[ReaderItem]:
        """The items of these feeds; only of some dossiers, if given; with `tagged`, also with their own labels."""
        by_source = {feed.source.id: feed for feed in feeds}
        ids = dict.fromkeys(feed.dossier.id for feed in feeds if only is None or feed.dossier.id in only)
        marked: dict[str, list[MarkedDocument]] = {}
        own: dict[str, tuple[str, ...]] = {}
        for dossier_id in ids:
            with self._dossiers.open(dossier_id) as store:
                self._numbers.number_up_to(dossier_id, store.outbox.last_seq())
                marked[dossier_id] = store.marks.items(user_id)
                own |= store.records.tags([one.document_id for one in marked[dossier_id]]) if tagged else {}
        numbers = ItemNumbers(self._numbers.ranges(list(ids)))
        return [
            ReaderItem(
                number=number,
                dossier_id=dossier_id,
                seq=one.seq,
                at=one.at,
                document_id=one.document_id,
                feed=feed.number,
                is_unread=one.is_unread,
                is_kept=one.is_kept,
                labels=frozenset((*feed.labels, *own.get(one.document_id, ()))),
            )
            for dossier_id, documents in marked.items()
            for one in documents
            # A change that came this very moment has its number the next time.
            if (feed := by_source.get(one.source_id)) and (number := numbers.number(dossier_id, one.seq))
        ]

    def contents(self, user_id: str, feeds: Sequence[ReaderFeed], numbers: Sequence[int]) -> list[ItemContent]:
        """Items with their content, in the order of the numbers, up to `MOST_HTML`; what is gone is left out."""
        wanted = list(dict.fromkeys(numbers))[:MOST_CONTENTS]
        known, places = self._places(wanted)
        listed = {one.number: one for one in self.items(user_id, feeds, only=places, tagged=True)}
        by_source = {feed.source.id: feed for feed in feeds}
        found: dict[int, tuple[ReaderItem, Event, Revision | None]] = {}
        for dossier_id, seqs in places.items():
            with self._dossiers.open(dossier_id) as store:
                parcels = {one.event.seq: one for one in store.outbox.parcels_of(seqs)}
                events = store.outbox.numbered(seqs)
                kept = store.marks.kept_of(user_id, [event.document_id for event in events])
            for event in events:
                number, feed = known.number(dossier_id, event.seq), by_source.get(event.source_id)
                if number is None or feed is None:
                    continue
                # An item that was followed by another of its document is read.
                item = listed.get(number) or _followed(number, event, feed, is_kept=event.document_id in kept)
                parcel = parcels.get(event.seq)
                found[number] = (item, event, parcel.revision if parcel else None)
        return list(_as_fit(_content(*found[number]) for number in wanted if number in found))

    def mark(self, user_id: str, numbers: Sequence[int], *, read: bool | None = None, keep: bool | None = None) -> None:
        """Mark items as read or unread, or keep them or not, for a user."""

        def change(store: DossierStore, seqs: Sequence[int], documents: Sequence[str]) -> None:
            if read:
                store.marks.read_changes(user_id, seqs)
            for document_id in documents:
                if read is False:
                    store.marks.read(user_id, document_id, is_read=False)
                if keep is not None:
                    store.marks.keep(user_id, document_id, self._clock() if keep else None)

        self._change(numbers, change)

    def tag(self, numbers: Sequence[int], label: str, *, is_on: bool) -> None:
        """Give a tag to the documents of items, or take it from them."""
        name = tag_named(label)

        def change(store: DossierStore, _: Sequence[int], documents: Sequence[str]) -> None:
            (store.tags.put if is_on else store.tags.drop)(documents, name)

        if not self._change(numbers, change):
            raise NotFoundError("There is no such item in a dossier that you may change.", code="no_document")

    def rename_tags(self, labels: Sequence[str], other: str) -> list[tuple[str, str]]:
        """Give tags another name, or take them away if that is empty; returns which dossier (its id) had which tag.

        Those that no dossier has are skipped; it is an error if none is left.
        """
        names, wanted = list(dict.fromkeys(map(tag_named, labels))), tag_named(other) if other else ""
        changed = []
        for dossier in self._dossiers.all():
            with self._dossiers.open(dossier.id) as store:
                had = [name for name in names if store.tags.rename(name, wanted, self._clock())]
            changed += [(dossier.id, name) for name in had]
        if not changed:
            raise NotFoundError("No dossier that you may change has such a tag.", code="no_tag")
        return changed

    def _change(
        self, numbers: Sequence[int], change: Callable[[DossierStore, Sequence[int], Sequence[str]], None]
    ) -> int:
        """Change what these items are about; returns in how many dossiers. Those that are gone are left out."""
        _, places = self._places(numbers)
        for dossier_id, seqs in places.items():
            with self._dossiers.open(dossier_id) as store:
                documents = list(dict.fromkeys(event.document_id for event in store.outbox.numbered(seqs)))
                with store.writing():
                    change(store, seqs, documents)
        return len(places)

    def _places(self, numbers: Sequence[int]) -> tuple[ItemNumbers, dict[str, list[int]]]:
        known = ItemNumbers(self._numbers.ranges([dossier.id for dossier in self._dossiers.all()]))
        return known, known.by_dossier(numbers)


def _as_fit(contents: Iterable[ItemContent]) -> Iterator[ItemContent]:
    size = 0
    for one in contents:
        yield one
        size += len(one.html)
        if size > MOST_HTML:
            return


def _content(item: ReaderItem, event: Event, revision: Revision | None) -> ItemContent:
    published = revision.published_at if revision and event.rev_n == 1 else None
    return ItemContent(
        item=item,
        event=event,
        revision=revision,
        html=item_html(event, revision),
        shown_at=published if published is not None and published < event.at else event.at,
    )


def _followed(number: int, event: Event, feed: ReaderFeed, *, is_kept: bool) -> ReaderItem:
    return ReaderItem(
        number=number,
        dossier_id=event.dossier_id,
        seq=event.seq,
        at=event.at,
        document_id=event.document_id,
        feed=feed.number,
        is_unread=False,
        is_kept=is_kept,
        labels=frozenset(feed.labels),
    )


def _tags(source: Source) -> list[str]:
    tags = source.config.get("tags") or []
    return [tags] if isinstance(tags, str) else list(tags)


def _source_name(source_id: str) -> str:
    return f"source {source_id}"


def _label_name(label: str) -> str:
    return f"label {label}"
