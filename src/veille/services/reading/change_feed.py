"""The changes of a dossier for people: newest first, those of one story on one day grouped."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING

from veille.core.access.accounts import Since

if TYPE_CHECKING:
    from veille.core.models import Dossier
    from veille.core.records import Event
    from veille.ports import Clock, Dossiers

#: Changes that are looked at for those with a tag.
_LOOKED_AT = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """One change, with the others of its story, or of the same document, on the same day."""

    dossier: Dossier
    event: Event
    is_unread: bool
    #: How many of them came after the user's previous visit; 0 on a first visit.
    fresh: int
    siblings: tuple[Event, ...] = ()


class FrontService:
    """The changes of the dossiers that a user may see."""

    def __init__(self, dossiers: Dossiers, clock: Clock) -> None:
        self._dossiers = dossiers
        self._clock = clock

    def headlines(
        self, dossier: Dossier, user_id: str, limit: int, before: int | None = None
    ) -> tuple[list[Headline], Since]:
        """The newest changes of a dossier, or those before a sequence number; and where the previous visit ended."""
        with self._dossiers.open(dossier.id) as store:
            since = store.marks.visit(user_id, self._clock())
            events = store.outbox.latest(before, limit)
            unread = store.marks.unread_of(user_id, list({event.document_id for event in events}))
            stories = store.stories.of_many([event.document_id for event in events])
        groups: dict[tuple[date, str], list[Event]] = {}
        for event in events:
            told = stories.get(event.document_id, event.document_id)
            groups.setdefault((_day(event.at), told), []).append(event)
        found = [
            Headline(
                dossier=dossier,
                event=first,
                is_unread=first.document_id in unread,
                fresh=0 if since.at is None else sum(event.seq > since.seq for event in (first, *others)),
                siblings=tuple(others),
            )
            for first, *others in groups.values()
        ]
        return found, since

    def tagged(
        self, dossier: Dossier, user_id: str, tag: str, limit: int, before: int | None = None
    ) -> tuple[list[Headline], int | None]:
        """The newest changes with a tag, and the number to continue before; None at the end.

        One call looks at some thousand changes at most, so an empty list with a number is not the end.
        """
        with self._dossiers.open(dossier.id) as store:
            upto = store.outbox.last_seq() + 1 if before is None else before
            after = max(0, upto - _LOOKED_AT)
            events = store.outbox.tagged(tag, upto, after, limit)
            unread = store.marks.unread_of(user_id, list({event.document_id for event in events}))
        found = [
            Headline(dossier=dossier, event=event, is_unread=event.document_id in unread, fresh=0) for event in events
        ]
        if len(events) == limit:
            return found, events[-1].seq
        return found, after + 1 if after else None

    def read_all(self, dossier_id: str, user_id: str, seq: int) -> None:
        """Mark as read all changes up to this one."""
        with self._dossiers.open(dossier_id) as store:
            store.marks.read_all(user_id, min(seq, store.outbox.last_seq()))


def _day(at: int) -> date:
    """The day of a time, in the time zone of this machine."""
    return datetime.fromtimestamp(at / 1000).astimezone().date()
