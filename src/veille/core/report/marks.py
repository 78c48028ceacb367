"""What a person has seen of a dossier, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

#: A visit is over when nothing was looked at for so long; what is shown next is the next visit's.
VISIT_MS: Final = 30 * 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Since:
    """Where the visit before this one ended: the last change there was, and when. 0 and None: there was none."""

    seq: int = 0
    at: int | None = None
