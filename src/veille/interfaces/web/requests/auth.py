"""Who may call a route."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from veille.core.access.access import ScopeName


@dataclass(frozen=True, slots=True)
class Permission:
    """Who may call a route."""

    #: `app`: a reader app, or a program with a token. Cookies do not count, so that no other site can cause a request.
    who: Literal["anybody", "known", "person", "admin", "app"]
    scope: ScopeName | None = None
    #: Whether the scope applies to the dossier of the URL.
    in_dossier: bool = False


ANYBODY = Permission("anybody")
KNOWN = Permission("known")
PERSON = Permission("person")
APP = Permission("app", "read")
ADMIN = Permission("admin", "admin")


def within(scope: ScopeName) -> Permission:
    """For callers who have this scope in the dossier of the URL."""
    return Permission("known", scope, in_dossier=True)
