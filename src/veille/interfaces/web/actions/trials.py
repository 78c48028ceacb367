"""Steps that somebody tried: what came of them is kept in memory for a quarter of an hour, for this user only."""

from __future__ import annotations

import secrets
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from veille.errors import NotFoundError
from veille.interfaces.programs import too_often
from veille.interfaces.web.actions.kept_briefly import KeptBriefly

if TYPE_CHECKING:
    from veille.core.browsing.steps import BrowserStep
    from veille.core.models import Source
    from veille.interfaces.web.actions.show import Show
    from veille.services.watching.trials import TriedSteps

_MOST = 60
_MOST_OF_ONE = 6
#: Trials at once: each has a browser of its own.
_AT_ONCE = 2
_PER_MINUTE = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptTrial:
    """A trial of steps at a source."""

    id: str
    place: tuple[str, str]
    lines: str
    tried: TriedSteps


class Trials:
    """All trials of the service."""

    def __init__(self) -> None:
        self._kept = KeptBriefly[KeptTrial](_MOST, _MOST_OF_ONE)
        self._turns = threading.Semaphore(_AT_ONCE)

    def make(self, show: Show, source: Source, steps: tuple[BrowserStep, ...], lines: str) -> KeptTrial:
        """Try steps; ThrottledError when too many are tried."""
        wait_s = show.app.store.call_limits.take(f"trials {show.user_id}", _PER_MINUTE)
        if wait_s or not self._turns.acquire(timeout=5):
            raise too_often(show.app, "Too many steps are being tried: try again soon.", max(wait_s, 1))
        try:
            with show.app.trials() as trials:
                tried = trials.run(show.dossier.id, source, steps)
        finally:
            self._turns.release()
        one = KeptTrial(
            id=secrets.token_urlsafe(16),
            place=(show.dossier.id, source.id),
            lines=lines,
            tried=tried,
        )
        self._kept.keep(one.id, show.user_id, one, shelf=show.app.store.shelf)
        return one

    def find(self, show: Show, source_id: str, trial_id: str) -> KeptTrial:
        """A trial of the caller's; NotFoundError if it is no longer kept."""
        one = self._kept.find(show.user_id, trial_id, show.app.store.shelf)
        if one is None or one.place != (show.dossier.id, source_id):
            raise NotFoundError("What came of these steps is no longer kept: try them again.", code="no_trial")
        return one
