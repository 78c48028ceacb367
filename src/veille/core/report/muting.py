"""Muting a source: it is checked as before, but nobody is told of its changes."""

from __future__ import annotations

from typing import Final

from veille.core.schedule import DAY

#: How long a source is muted, by the word for it; None: for good.
MUTES: Final[dict[str, int | None]] = {"day": DAY, "week": 7 * DAY, "good": None}
#: Later than all times: muted for good.
FOR_GOOD: Final = 2**52


def muted_until(word: str, now: int) -> int:
    """Until when a source is muted from now on; `off`: until now, so that what came meanwhile stays quiet."""
    if word == "off":
        return now
    span = MUTES[word]
    return FOR_GOOD if span is None else now + span
