"""Read many answers at once, in the children of the workshop."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from veille.core.models import Lease, Reading
    from veille.core.traffic import Payload
    from veille.ports import Workshop

#: How long to wait for a reading at a time.
_WAIT_S = 0.25


def read_many(workshop: Workshop, answers: Iterable[tuple[str, Lease, Payload]]) -> dict[str, Reading]:
    """The readings of these answers, by their keys; the children read them, never this process."""
    found: dict[str, Reading] = {}
    waiting: set[str] = set()
    for key, lease, payload in answers:
        reading = workshop.submit(key, lease, payload)
        if reading is None:
            waiting.add(key)
        else:
            found[key] = reading
    while waiting:
        for key, reading in workshop.collect(_WAIT_S):
            waiting.discard(key)
            found[key] = reading
    return found
