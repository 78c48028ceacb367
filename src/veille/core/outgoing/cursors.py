"""Cursor of a client that follows several dossiers, as text: `<dossier id>:<number>`, separated by commas."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from veille.errors import ConfigError

_PLAIN = re.compile(r"[0-9]{1,18}")
_PLACE = re.compile(r"([0-9a-f-]{36}):([0-9]{1,18})")


@dataclass(frozen=True, slots=True)
class Cursor:
    """The number of the last change seen, per dossier; `rest` for all other dossiers."""

    places: Mapping[str, int] = field(default_factory=dict)
    rest: int = 0

    def __str__(self) -> str:
        return ",".join(f"{dossier_id}:{seq}" for dossier_id, seq in sorted(self.places.items())) or str(self.rest)

    def of(self, dossier_id: str) -> int:
        return self.places.get(dossier_id, self.rest)


def parse_cursor(text: str) -> Cursor:
    """Parse a cursor; a number alone applies to every dossier.

    >>> parse_cursor("120").of("any"), str(parse_cursor(""))
    (120, '0')
    """
    text = text.strip()
    if not text or _PLAIN.fullmatch(text):
        return Cursor(rest=int(text or 0))
    places = [_PLACE.fullmatch(part.strip().lower()) for part in text.split(",")]
    if not all(places):
        raise ConfigError(
            f"{text[:80]!r} is no cursor; give the one that `veille changes` or `veille export` printed, or a number.",
            code="bad_cursor",
        )
    return Cursor({place[1]: int(place[2]) for place in places if place})
