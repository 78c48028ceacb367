"""Users, sessions and tokens, as values; none of them contains a secret (password, cookie, token)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from veille.core.access.access import Role, ScopeName
from veille.core.access.networks import is_within
from veille.core.access.tokens import without_tokens
from veille.core.schedule import DAY, MINUTE
from veille.errors import ConfigError

#: How long an invitation link is valid; no other link is valid for longer.
INVITATION_LIFE = 3 * DAY
#: A visit ends after so long without a request; the next request starts a new visit.
VISIT_MS = 30 * MINUTE
_MAX_EMAIL = 254
_MAX_DETAIL = 500
_SECRET_KEY = re.compile(r"pass|secret|token|cookie|authorization|credential", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A user account. A removed user stays on record, but cannot sign in."""

    id: str
    email: str
    name: str
    is_admin: bool
    has_password: bool
    created_at: int
    removed_at: int | None = None

    @property
    def role(self) -> Literal["user", "admin"]:
        return "admin" if self.is_admin else "user"


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """Address and user agent of a request, if known."""

    address: str = ""
    agent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Since:
    """The end of a user's last visit to a dossier: its last change then, and the time; 0 and None if there was none."""

    seq: int = 0
    at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A browser session of a signed-in user."""

    #: The digest of the cookie; its first characters are the id of the session in lists.
    digest: str
    user_id: str
    created_at: int
    seen_at: int
    visit: Visit

    @property
    def id(self) -> str:
        return self.digest[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """An API token, with some of the rights of its user."""

    id: str
    user_id: str
    name: str
    scopes: tuple[ScopeName, ...]
    #: Ids of the dossiers it is limited to; None: all of the user's.
    dossiers: tuple[str, ...] | None
    created_at: int
    expires_at: int | None
    #: The networks it may be used from; none: from anywhere.
    networks: tuple[str, ...] = ()
    used_at: int | None = None
    revoked_at: int | None = None

    def lives(self, now: int) -> bool:
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)

    def is_good_from(self, address: str) -> bool:
        """Whether it may be used from that address."""
        return not self.networks or is_within(address, self.networks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A user's role in a dossier; one that was taken in an emergency expires automatically."""

    user_id: str
    dossier_id: str
    role: Role
    until: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditLine:
    """Who did what, when, to which dossier."""

    at: int
    user_id: str
    who: str
    way: str
    action: str
    dossier_id: str = ""
    detail: Mapping[str, Any]
    address: str = ""
    #: Its number in the log; 0 before it is stored.
    seq: int = 0


def clean_email(text: str) -> str:
    """The e-mail address a user signs in with, normalised."""
    email = unicodedata.normalize("NFKC", text).strip().casefold()
    if not email or len(email) > _MAX_EMAIL or not email.isprintable() or re.search(r"\s", email):
        raise ConfigError(f"{text[:80]!r} is no name to log in with; give an e-mail address.", code="bad_email")
    return email


def without_secrets(detail: Mapping[str, Any]) -> dict[str, Any]:
    """The detail of an audit line as it may be stored: shortened, and with secrets redacted."""
    return {
        key: "***" if _SECRET_KEY.search(key) else _harmless(value)
        for key, value in detail.items()
        if value is not None
    }


def _harmless(value: Any) -> Any:
    if isinstance(value, Mapping):
        return without_secrets(value)
    if isinstance(value, list | tuple | set | frozenset):
        return [_harmless(one) for one in value]
    return value if isinstance(value, int | float) else without_tokens(str(value))[:_MAX_DETAIL]
