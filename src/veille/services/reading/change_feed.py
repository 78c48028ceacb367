"""The changes of dossiers for people: rows of one or more changes each, and what stands beside them."""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from veille.core.access.accounts import Since
from veille.core.show.change_rows import ChangeFilter, ChangeWindow, RowGroup, Which

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from veille.core.models import Dossier
    from veille.core.records import Event
    from veille.ports import Clock, Dossiers, DossierStore

#: Changes that a row names beside its newest, and the points of its small chart.
_SIBLINGS, _POINTS = 5, 24
#: The most earlier changes that are read for one page.
_EARLIER = 300
#: A day begins at a full quarter of an hour, in every time zone.
_QUARTER_MS = 900_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRow:
    """One row of a list: a change, and the others of its story, its document or its source that it stands for."""

    dossier: Dossier
    event: Event
    is_unread: bool = False
    is_kept: bool = False
    #: How many changes it stands for, and the numbers of the first and the last of them.
    count: int = 1
    first_seq: int = 0
    last_seq: int = 0
    #: Whether it is all that a source had on a day.
    is_fold: bool = False
    #: Some of the others, newest first.
    siblings: tuple[Event, ...] = ()
    #: How many other documents tell the same, and the id of the story.
    tellers: int = 0
    story: str = ""
    rules: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    #: The last numbers of its first value, oldest first.
    trend: tuple[float, ...] = ()
    #: Whether its revision has a picture of its own.
    has_picture: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DossierWindow:
    """The next changes of a dossier; on a first page also how many are unread, and where the last visit ended."""

    dossier: Dossier
    window: ChangeWindow
    unread: int = 0
    last_seq: int = 0
    since: Since = field(default_factory=lambda: Since(seq=0, at=None))


class FrontService:
    """The changes of the dossiers that a user may see."""

    def __init__(self, dossiers: Dossiers, clock: Clock) -> None:
        self._dossiers = dossiers
        self._clock = clock

    def window(
        self, dossier: Dossier, wanted: ChangeFilter, before: int | None, limit: int, *, is_visit: bool = False
    ) -> DossierWindow:
        """The next changes of a dossier; with `is_visit` the user looks at it now."""
        if before == 0:
            return DossierWindow(dossier=dossier, window=ChangeWindow(dossier_id=dossier.id, lines=(), following=0))
        with self._dossiers.open(dossier.id) as store:
            lines, following = store.changes.page(wanted, before, limit)
            found = DossierWindow(
                dossier=dossier, window=ChangeWindow(dossier_id=dossier.id, lines=lines, following=following)
            )
            if not is_visit:
                return found
            since = store.marks.visit(wanted.user_id, self._clock())
            unread, last = store.marks.unread(wanted.user_id), store.outbox.last_seq()
            return replace(found, unread=unread, last_seq=last, since=since)

    def rows(self, dossier: Dossier, user_id: str, which: Which, groups: Sequence[RowGroup]) -> list[ChangeRow]:
        """The rows of a dossier, with what they show: some queries, however many rows there are."""
        if not groups:
            return []
        named = [group.lines[: 1 if group.is_fold else 1 + _SIBLINGS] for group in groups]
        with self._dossiers.open(dossier.id) as store:
            events = {one.seq: one for one in store.outbox.numbered([line.seq for lines in named for line in lines])}
            # Without those whose document was deleted a moment ago.
            found = [
                (group, [events[line.seq] for line in lines if line.seq in events])
                for group, lines in zip(groups, named, strict=True)
                if lines[0].seq in events
            ]
            beside = _Beside(store, user_id, [some[0] for _, some in found], which)
            # Of their documents also the earlier changes that the user has not read either.
            ids = [some[0].document_id for group, some in found if not group.is_fold]
            unread = store.changes.unread_of(user_id, ids, _EARLIER) if which is Which.UNREAD else {}
        made = []
        for group, (event, *siblings) in found:
            earlier = () if group.is_fold else unread.get(event.document_id, ())[1 : 1 + _SIBLINGS]
            made.append(
                ChangeRow(
                    dossier=dossier,
                    event=event,
                    count=len(group.lines) + len(earlier),
                    first_seq=group.lines[-1].seq,
                    last_seq=group.lines[0].seq,
                    is_fold=group.is_fold,
                    siblings=(*siblings, *earlier),
                    **beside.of(event),
                )
            )
        return made

    def of_events(self, dossier: Dossier, user_id: str, events: Sequence[Event]) -> list[ChangeRow]:
        """A row for each change."""
        with self._dossiers.open(dossier.id) as store:
            beside = _Beside(store, user_id, events)
        return [
            ChangeRow(dossier=dossier, event=event, first_seq=event.seq, last_seq=event.seq, **beside.of(event))
            for event in events
        ]

    def last_changes(self, dossier_id: str, document_ids: Sequence[str]) -> dict[str, Event]:
        """The last change of each of these documents."""
        with self._dossiers.open(dossier_id) as store:
            return store.changes.last_of(document_ids)

    def last_everywhere(self, found: Iterable[tuple[str, str]]) -> dict[str, Event]:
        """The last change of each document of (dossier, document), by document."""
        wanted: dict[str, list[str]] = defaultdict(list)
        for dossier_id, document_id in found:
            wanted[dossier_id].append(document_id)
        last: dict[str, Event] = {}
        for dossier_id, ids in wanted.items():
            last |= self.last_changes(dossier_id, ids)
        return last

    def read_all(self, dossier_id: str, user_id: str, seq: int) -> None:
        """Mark as read all changes up to this one."""
        with self._dossiers.open(dossier_id) as store:
            store.marks.read_all(user_id, min(seq, store.outbox.last_seq()))


def local_day(at: int) -> tuple[int, int, int]:
    """The day of a time, in the time zone of this machine: year, month and day."""
    return _day_of_quarter(at // _QUARTER_MS)


@lru_cache(maxsize=4096)
def _day_of_quarter(quarter: int) -> tuple[int, int, int]:
    then = time.localtime(quarter * _QUARTER_MS / 1000)
    return then.tm_year, then.tm_mon, then.tm_mday


class _Beside:
    """What stands beside changes: some queries, however many there are."""

    def __init__(self, store: DossierStore, user_id: str, events: Sequence[Event], which: Which = Which.ALL) -> None:
        ids = list({event.document_id for event in events})
        # A change that was read stays so, whatever came to its document since.
        known = {Which.UNREAD: set(ids), Which.OTHERS: set[str]()}.get(which)
        self._unread = store.marks.unread_of(user_id, ids) if known is None else known
        self._kept = store.marks.kept_of(user_id, ids)
        self._rules, self._tags = store.changes.rules_of(events), store.records.tags(ids)
        self._tellers = store.changes.tellers(ids)
        self._pictured = store.pictures.pictured([event.revision_id for event in events])
        valued = [(one.document_id, one.told.values[0].name) for one in events if one.told.values]
        self._trends = store.changes.trends(valued, _POINTS) if valued else {}

    def of(self, event: Event) -> dict[str, Any]:
        """Fields of the row of a change."""
        document_id = event.document_id
        story, others = self._tellers.get(document_id, ("", 0))
        name = event.told.values[0].name if event.told.values else ""
        return {
            "is_unread": document_id in self._unread,
            "is_kept": document_id in self._kept,
            "rules": self._rules.get(event.seq, ()),
            "tags": self._tags.get(document_id, ()),
            "story": story,
            "tellers": others,
            "trend": tuple(self._trends.get((document_id, name), ())),
            "has_picture": event.revision_id in self._pictured,
        }
