"""Previews that are not saved yet: kept for a quarter of an hour, for the user who made them only.

So the form that saves sends no more than the id of a preview; what was detected never comes from the client.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from veille.core.discover.detect import LIST
from veille.core.text import printed
from veille.interfaces.operations import placed
from veille.interfaces.programs import too_often
from veille.interfaces.web.actions.kept_briefly import KeptBriefly
from veille.services.watching.adding import Terms
from veille.services.watching.questions import KIND as QUESTION

if TYPE_CHECKING:
    from veille.core.discover.detect import Alternative
    from veille.interfaces.web.requests.calls import Call
    from veille.services.watching.detection import Detection

#: Kinds of which the answer is kept with the preview.
_KEPT = frozenset({LIST, "page", "items"})
_MOST = 200
_MOST_OF_ONE = 20
#: Answers are kept verbatim; size limit for all of them together.
_MOST_BYTES = 64 * 1024 * 1024
#: Previews at once: each holds an `App` while it waits for other servers.
_AT_ONCE = 4
_PER_MINUTE = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPreview:
    """The result of a preview."""

    id: str
    text: str
    dossier_id: str
    detection: Detection
    #: The file, if it is a list of feeds; the page, if it can be pointed at.
    body: bytes
    #: The dossier and the source whose part is to be changed; empty for a new source.
    change_of: str = ""


def name_of(detection: Detection) -> str:
    """What a source is called that nobody named: as it calls itself, or the title of its page."""
    is_titled = detection.kind == "page" and detection.samples
    return detection.name or (printed(detection.samples[0].title) if is_titled else "")


class Previews:
    """All previews of the service."""

    def __init__(self) -> None:
        self._kept = KeptBriefly[KeptPreview](_MOST, _MOST_OF_ONE, _MOST_BYTES)
        self._turns = threading.Semaphore(_AT_ONCE)

    def make(
        self,
        call: Call,
        text: str,
        dossier_id: str,
        other: Alternative | None = None,
        *,
        change_of: str = "",
        name: str = "",
    ) -> KeptPreview:
        """Make a preview; ConfigError when it cannot be watched, ThrottledError when there are too many previews."""
        terms = Terms()
        with self._turn(call), call.app.detector() as detector:
            if other is None:
                detection, body = detector.detect(text, terms.interval_of(text))
            else:
                detection, body = detector.detect_as(other, name, terms.interval(other.kind))
        if detection.kind not in {LIST, QUESTION} and not detection.url.startswith("file:"):
            placed(call.app, detection.kind, detection.url)
        one = KeptPreview(
            id=secrets.token_urlsafe(16),
            text=text,
            dossier_id=dossier_id,
            detection=detection,
            body=body if detection.kind in _KEPT else b"",
            change_of=change_of,
        )
        self._kept.keep(one.id, call.access.who.user_id, one, len(one.body), call.app.store.shelf)
        return one

    def find(self, call: Call, preview_id: str) -> KeptPreview | None:
        """A preview of the caller's, if it is still kept."""
        return self._kept.find(call.access.who.user_id, preview_id, call.app.store.shelf)

    @contextmanager
    def _turn(self, call: Call) -> Iterator[None]:
        wait_s = call.app.store.call_limits.take(f"previews {call.access.who.user_id}", _PER_MINUTE)
        if wait_s or not self._turns.acquire(timeout=1):
            raise too_often(call.app, "Too many previews now: try again soon.", max(wait_s, 1))
        try:
            yield
        finally:
            self._turns.release()
