"""Fetches that fields of a source's options are tried on: the last one that is kept, or one made for the first trial.

What is fetched for a trial is kept in memory for a quarter of an hour, for this user only, so that the next trial takes
from the same answer.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from veille.interfaces.programs import too_often
from veille.interfaces.web.actions.kept_briefly import KeptBriefly

if TYPE_CHECKING:
    from veille.core.models import Json, Source
    from veille.interfaces.web.actions.show import Show
    from veille.services.watching.field_trials import FetchToTry, FieldTrial

_MOST = 100
_MOST_OF_ONE = 10
_MOST_BYTES = 64 * 1024 * 1024
#: Fetches at once: each may have a browser of its own.
_AT_ONCE = 2
_PER_MINUTE = 20


class FieldFetches:
    """All such fetches of the service."""

    def __init__(self) -> None:
        self._kept = KeptBriefly["FetchToTry"](_MOST, _MOST_OF_ONE, _MOST_BYTES)
        self._turns = threading.Semaphore(_AT_ONCE)

    def tried(self, show: Show, source: Source, tried: Source, field: str, *, anew: bool) -> FieldTrial:
        """What a field takes if the source is changed as tried; ReadError if nothing can be fetched or read."""
        trials, dossier_id = show.app.field_trials(), show.dossier.id
        found = None if anew else trials.on_texts(dossier_id, tried, field)
        if found is not None:
            return found
        answer = None if anew else self._last(show, source, tried)
        if answer is None:
            answer = self._fetched(show, source, tried.config)
        return trials.on_answer(dossier_id, tried, field, answer)

    def _last(self, show: Show, source: Source, tried: Source) -> FetchToTry | None:
        """The newer of what is kept with the source, and what was fetched for the last trial."""
        if bool(source.config.get("render")) != bool(tried.config.get("render")):
            return None
        known = show.app.field_trials().kept(show.dossier.id, source)
        brief = self._kept.find(show.user_id, _key(show, source), show.app.store.shelf)
        both = [one for one in (known, brief) if one is not None]
        return max(both, key=lambda one: one.payload.fetched_at, default=None)

    def _fetched(self, show: Show, source: Source, options: Json) -> FetchToTry:
        wait_s = show.app.store.call_limits.take(f"field_fetches {show.user_id}", _PER_MINUTE)
        if wait_s or not self._turns.acquire(timeout=5):
            raise too_often(show.app, "Too many pages are being fetched to try on: try again soon.", max(wait_s, 1))
        try:
            with show.app.outside.door(show.app.settings.fetch.timeout_s) as door:
                found = show.app.field_trials().fetch(show.dossier.id, source, door, options)
        finally:
            self._turns.release()
        self._kept.keep(_key(show, source), show.user_id, found, len(found.payload.body), show.app.store.shelf)
        return found


def _key(show: Show, source: Source) -> str:
    return f"{show.user_id} {show.dossier.id} {source.id}"
