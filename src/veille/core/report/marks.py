"""What a user has seen of a dossier, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

#: A visit ends after so long without a request; the next request starts a new visit.
VISIT_MS: Final = 30 * 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Since:
    """The end of the previous visit: the last change at that time, and the time. 0 and None: there was no visit."""

    seq: int = 0
    at: int | None = None
