"""What a route asks of whoever calls it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from veille.core.access.access import ScopeName


@dataclass(frozen=True, slots=True)
class Auth:
    """What a route asks of whoever calls it."""

    who: Literal["anybody", "known", "person", "admin"]
    scope: ScopeName | None = None
    #: Whether the scope is used in the dossier that the address names.
    in_dossier: bool = False


ANYBODY = Auth("anybody")
KNOWN = Auth("known")
PERSON = Auth("person")
ADMIN = Auth("admin", "admin")


def within(scope: ScopeName) -> Auth:
    """For whoever may use the dossier of the address so."""
    return Auth("known", scope, in_dossier=True)
