"""Who may call a route."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from veille.core.access.access import ScopeName


@dataclass(frozen=True, slots=True)
class Auth:
    """Who may call a route."""

    who: Literal["anybody", "known", "person", "admin"]
    scope: ScopeName | None = None
    #: Whether the scope applies to the dossier of the URL.
    in_dossier: bool = False


ANYBODY = Auth("anybody")
KNOWN = Auth("known")
PERSON = Auth("person")
ADMIN = Auth("admin", "admin")


def within(scope: ScopeName) -> Auth:
    """For callers who have this scope in the dossier of the URL."""
    return Auth("known", scope, in_dossier=True)
