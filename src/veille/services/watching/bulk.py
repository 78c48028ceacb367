"""One action on many sources or documents of a dossier; what cannot be done to one of them is reported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from veille.core.report.tags import tag_named
from veille.errors import ConfigError, NotFoundError, VeilleError

if TYPE_CHECKING:
    from veille.core.models import Source
    from veille.ports import Clock, Dossiers
    from veille.services.watching.moving import MovingService
    from veille.services.watching.sources import SourceService

#: The most things of one action.
MOST_CHOSEN = 500


@dataclass(slots=True)
class BulkResult:
    """What became of an action on many."""

    done: int = 0
    #: When it was done: what was deleted at one time is restored together.
    at: int = 0
    #: Why it was not done, by the name of each that was left out.
    problems: dict[str, str] = field(default_factory=dict)


class BulkService:
    """Actions on many sources or documents at once."""

    def __init__(self, dossiers: Dossiers, sources: SourceService, moving: MovingService, clock: Clock) -> None:
        self._dossiers = dossiers
        self._sources = sources
        self._moving = moving
        self._clock = clock

    def check(self, dossier_id: str, ids: Sequence[str]) -> BulkResult:
        """Make these sources due now; paused ones are left out."""
        return self._each(dossier_id, ids, lambda source: self._make_due(dossier_id, source))

    def _make_due(self, dossier_id: str, source: Source) -> None:
        if not source.enabled:
            raise ConfigError("It is paused: resume it first.", code="paused")
        self._sources.make_due(dossier_id, source.id)

    def enable(self, dossier_id: str, ids: Sequence[str], *, enabled: bool) -> BulkResult:
        """Pause or resume these sources."""

        def switch(source: Source) -> None:
            self._sources.set_enabled(dossier_id, source.id, enabled=enabled)

        return self._each(dossier_id, ids, switch)

    def tag(self, dossier_id: str, ids: Sequence[str], tag: str, *, is_on: bool = True) -> BulkResult:
        """Give a tag to these sources, or take it from them."""
        name, now = tag_named(tag), self._clock()
        with self._dossiers.open(dossier_id) as store:
            change = store.tags.put_on_sources if is_on else store.tags.drop_from_sources
            return BulkResult(change(_some(ids), name, now), now)

    def tag_documents(self, dossier_id: str, ids: Sequence[str], tag: str, *, is_on: bool = True) -> BulkResult:
        """Give a tag to these documents, or take it from them."""
        name = tag_named(tag)
        with self._dossiers.open(dossier_id) as store:
            return BulkResult((store.tags.put if is_on else store.tags.drop)(_some(ids), name), self._clock())

    def mark(self, dossier_id: str, user_id: str, ids: Sequence[str], *, read: bool | None, keep: bool | None) -> int:
        """Mark these documents as read or unread, or keep them or not, for a user."""
        now, chosen = self._clock(), _some(ids)
        with self._dossiers.open(dossier_id) as store, store.writing():
            for document_id in chosen:
                if read is not None:
                    store.marks.read(user_id, document_id, is_read=read)
                if keep is not None:
                    store.marks.keep(user_id, document_id, now if keep else None)
        return len(chosen)

    def delete(self, dossier_id: str, ids: Sequence[str]) -> BulkResult:
        """Delete these sources together; they can be restored together."""
        now = self._clock()
        with self._dossiers.open(dossier_id) as store, store.writing():
            found = [one for one in _some(ids) if store.sources.get(one)]
            for source_id in found:
                store.trash.put(source_id, now)
        return BulkResult(len(found), now)

    def move(self, dossier_id: str, ids: Sequence[str], to: str) -> BulkResult:
        """Move these sources to another dossier, each with everything that it brought."""
        return self._each(dossier_id, ids, lambda source: self._moving.move(dossier_id, source.id, to))

    def _each(self, dossier_id: str, ids: Sequence[str], do: Callable[[Source], object]) -> BulkResult:
        result = BulkResult(at=self._clock())
        for source_id in _some(ids):
            name = source_id
            try:
                with self._dossiers.open(dossier_id) as store:
                    source = store.sources.get(source_id)
                if source is None:
                    raise NotFoundError("There is no such source any more.", code="no_source")
                name = source.name
                do(source)
                result.done += 1
            except VeilleError as error:
                result.problems[name] = str(error)
        return result


def _some(ids: Sequence[str]) -> list[str]:
    chosen = list(dict.fromkeys(ids))
    if not chosen:
        raise ConfigError("Choose something first: mark it in the list.", code="nothing_chosen")
    if len(chosen) > MOST_CHOSEN:
        raise ConfigError(f"At most {MOST_CHOSEN} at once: choose fewer.", code="too_many_chosen")
    return chosen
