"""Previews that are not saved yet: kept for a quarter of an hour, for the user who made them only.

So the form that saves sends no more than the id of a preview; what was detected never comes from the client.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from veille.core.discover.detect import LIST
from veille.interfaces.operations import placed
from veille.interfaces.programs import Turnstile, too_often
from veille.services.watching.adding import Terms
from veille.services.watching.questions import KIND as QUESTION

if TYPE_CHECKING:
    from veille.core.discover.detect import Alternative
    from veille.interfaces.web.requests.calls import Call
    from veille.services.watching.detection import Detection

#: Kinds of which the answer is kept with the preview.
_KEPT = frozenset({LIST, "page", "items"})
_KEEP_S = 15 * 60.0
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
    user_id: str
    text: str
    dossier_id: str
    detection: Detection
    #: The file, if it is a list of feeds; the page, if it can be pointed at.
    body: bytes
    #: The dossier and the source whose part is to be changed; empty for a new source.
    change_of: str = ""
    until: float


class Previews:
    """All previews of the service."""

    def __init__(self) -> None:
        self._kept: dict[str, KeptPreview] = {}
        self._lock = threading.Lock()
        self._turns = threading.Semaphore(_AT_ONCE)
        self._turnstile = Turnstile(_PER_MINUTE)

    def make(
        self, call: Call, text: str, dossier_id: str, other: Alternative | None = None, change_of: str = ""
    ) -> KeptPreview:
        """Make a preview; ConfigError when it cannot be watched, ThrottledError when there are too many previews."""
        terms = Terms()
        with self._turn(call), call.app.detector() as detector:
            if other is None:
                detection, body = detector.detect(text, terms.interval_of(text))
            else:
                detection, body = detector.detect_as(other, "", terms.interval(other.kind))
        if detection.kind not in {LIST, QUESTION} and not detection.url.startswith("file:"):
            placed(call.app, detection.kind, detection.url)
        one = KeptPreview(
            id=secrets.token_urlsafe(16),
            user_id=call.access.who.user_id,
            text=text,
            dossier_id=dossier_id,
            detection=detection,
            body=body if detection.kind in _KEPT else b"",
            change_of=change_of,
            until=time.monotonic() + _KEEP_S,
        )
        with self._lock:
            self._kept[one.id] = one
            self._forget(one.user_id)
        return one

    def find(self, call: Call, preview_id: str) -> KeptPreview | None:
        """A preview of the caller's, if it is still kept."""
        one = self._kept.get(preview_id)
        is_theirs = one is not None and one.user_id == call.access.who.user_id and one.until > time.monotonic()
        return one if is_theirs else None

    @contextmanager
    def _turn(self, call: Call) -> Iterator[None]:
        wait_s = self._turnstile.enter(call.access.who.user_id)
        if wait_s or not self._turns.acquire(timeout=1):
            raise too_often(call.app, "Too many previews now: try again soon.", max(wait_s, 1))
        try:
            yield
        finally:
            self._turns.release()

    def _forget(self, user_id: str) -> None:
        """Drop previews: the expired ones, and the oldest above the limits per user and in all."""
        now = time.monotonic()
        self._kept = {key: one for key, one in self._kept.items() if one.until > now}
        theirs = [key for key, one in self._kept.items() if one.user_id == user_id]
        for key in theirs[:-_MOST_OF_ONE]:
            del self._kept[key]
        size = sum(len(one.body) for one in self._kept.values())
        while len(self._kept) > 1 and (len(self._kept) > _MOST or size > _MOST_BYTES):
            size -= len(self._kept.pop(next(iter(self._kept))).body)
