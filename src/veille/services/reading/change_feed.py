"""The changes of dossiers for people: rows of one or more changes each, and what stands beside them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import TYPE_CHECKING

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
            rows = [
                ChangeRow(
                    dossier=dossier,
                    event=events[lines[0].seq],
                    count=len(group.lines),
                    first_seq=group.lines[-1].seq,
                    last_seq=group.lines[0].seq,
                    is_fold=group.is_fold,
                    siblings=tuple(events[line.seq] for line in lines[1:] if line.seq in events),
                )
                for group, lines in zip(groups, named, strict=True)
                # Its document was deleted a moment ago.
                if lines[0].seq in events
            ]
            rows = _beside(store, user_id, rows)
            return _with_unread(store, user_id, rows) if which is Which.UNREAD else rows

    def of_events(self, dossier: Dossier, user_id: str, events: Sequence[Event]) -> list[ChangeRow]:
        """A row for each change."""
        rows = [ChangeRow(dossier=dossier, event=event, first_seq=event.seq, last_seq=event.seq) for event in events]
        with self._dossiers.open(dossier.id) as store:
            return _beside(store, user_id, rows)

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


def _with_unread(store: DossierStore, user_id: str, rows: Sequence[ChangeRow]) -> list[ChangeRow]:
    """The rows with the earlier changes of their documents that the user has not read either."""
    unread = store.changes.unread_of(user_id, [row.event.document_id for row in rows if not row.is_fold], _EARLIER)
    made = []
    for row in rows:
        earlier = () if row.is_fold else tuple(unread.get(row.event.document_id, ())[1 : 1 + _SIBLINGS])
        made.append(replace(row, is_unread=True, siblings=(*row.siblings, *earlier), count=row.count + len(earlier)))
    return made


def local_day(at: int) -> date:
    """The day of a time, in the time zone of this machine."""
    return datetime.fromtimestamp(at / 1000).astimezone().date()


def _beside(store: DossierStore, user_id: str, rows: Sequence[ChangeRow]) -> list[ChangeRow]:
    events = [row.event for row in rows]
    ids = list({event.document_id for event in events})
    unread, kept = store.marks.unread_of(user_id, ids), store.marks.kept_of(user_id, ids)
    rules, tags, tellers = store.changes.rules_of(events), store.records.tags(ids), store.changes.tellers(ids)
    valued = [(one.document_id, one.told.values[0].name) for one in events if one.told.values]
    trends = store.changes.trends(valued, _POINTS) if valued else {}
    made = []
    for row in rows:
        event = row.event
        story, others = tellers.get(event.document_id, ("", 0))
        name = event.told.values[0].name if event.told.values else ""
        made.append(
            replace(
                row,
                is_unread=event.document_id in unread,
                is_kept=event.document_id in kept,
                rules=rules.get(event.seq, ()),
                tags=tags.get(event.document_id, ()),
                story=story,
                tellers=others,
                trend=tuple(trends.get((event.document_id, name), ())),
            )
        )
    return made
