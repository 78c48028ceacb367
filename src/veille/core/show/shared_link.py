"""Links by which anybody may read one document until a time.

The token of a link has the id of the dossier and 192 random bits; the store knows only its hash.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from uuid import UUID

from veille.core.schedule import DAY

#: For how many days a document can be shared.
SHARE_DAYS = (1, 7, 30, 90)
#: Random bytes of a token.
SECRET_BYTES = 24
_ID_BYTES = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareLink:
    """A link to a document, without its token."""

    id: str
    document_id: str
    #: Of the document.
    title: str
    made_by: str
    created_at: int
    until: int


def share_token(dossier_id: str, secret: bytes) -> str:
    """The token of a link: the last part of its address."""
    return base64.urlsafe_b64encode(UUID(dossier_id).bytes + secret).decode().rstrip("=")


def dossier_of_token(token: str) -> str:
    """The dossier that a token names; empty if it is no token."""
    try:
        data = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
    except ValueError:
        return ""
    return str(UUID(bytes=data[:_ID_BYTES])) if len(data) == _ID_BYTES + SECRET_BYTES else ""


def token_hash(token: str) -> str:
    """What is stored of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


def share_until(days: int, now: int) -> int:
    """When a link that is made now ends."""
    return now + days * DAY
