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


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """What a person did with one document."""

    #: The number of the last change of it that they have read.
    read_seq: int = 0
    #: When they put it by to have it at hand; None when they did not.
    kept_at: int | None = None
