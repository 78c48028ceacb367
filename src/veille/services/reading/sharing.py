"""Sharing a document by a link that anybody can open until a time, and that can be revoked."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from veille.core.fingerprint import uuid7
from veille.core.show.shared_link import (
    SECRET_BYTES,
    SHARE_DAYS,
    ShareLink,
    dossier_of_token,
    share_token,
    share_until,
    token_hash,
)
from veille.errors import ConfigError, NotFoundError, StoreError

if TYPE_CHECKING:
    from veille.ports import Clock, Dossiers

#: The most valid links of a dossier.
MOST_SHARES = 1000


class SharingService:
    """The shared documents of any dossier."""

    def __init__(self, dossiers: Dossiers, clock: Clock) -> None:
        self._dossiers = dossiers
        self._clock = clock

    def share(self, dossier_id: str, user_id: str, document_id: str, days: int) -> tuple[ShareLink, str]:
        """A new link, and its token, which is known only now."""
        if days not in SHARE_DAYS:
            raise ConfigError(f"A document is shared for {', '.join(map(str, SHARE_DAYS))} days.", code="bad_option")
        now, secret = self._clock(), secrets.token_bytes(SECRET_BYTES)
        with self._dossiers.open(dossier_id) as store:
            if not store.shares.is_allowed():
                raise ConfigError("An owner of this dossier switched sharing off.", code="sharing_off")
            if len(store.shares.all(now, MOST_SHARES)) == MOST_SHARES:
                raise ConfigError(f"A dossier has at most {MOST_SHARES} links: revoke some.", code="too_many_shares")
            revision = store.records.revision(document_id)
            token = share_token(store.id, secret)
            link = ShareLink(
                id=uuid7(now, store.id, token_hash(token)),
                document_id=document_id,
                title=revision.title or revision.url,
                made_by=user_id,
                created_at=now,
                until=share_until(days, now),
            )
            store.shares.add(link, token_hash(token))
        return link, token

    def all(self, dossier_id: str) -> list[ShareLink]:
        """The valid links of a dossier, the newest first."""
        with self._dossiers.open(dossier_id) as store:
            return store.shares.all(self._clock(), MOST_SHARES)

    def revoke(self, dossier_id: str, share_id: str) -> None:
        """End a link; NotFoundError if there is none."""
        with self._dossiers.open(dossier_id) as store:
            if not store.shares.delete(share_id):
                raise NotFoundError("There is no such link any more.", code="no_share")

    def is_allowed(self, dossier_id: str) -> bool:
        """Whether documents of the dossier may be shared."""
        with self._dossiers.open(dossier_id) as store:
            return store.shares.is_allowed()

    def allow(self, dossier_id: str, *, is_allowed: bool) -> None:
        """Allow sharing, or not: then no link can be opened."""
        with self._dossiers.open(dossier_id) as store:
            store.shares.allow(is_allowed=is_allowed)

    def opened(self, token: str) -> tuple[str, ShareLink]:
        """The dossier and the link of a token; NotFoundError if it is not valid, whatever the reason."""
        dossier_id = dossier_of_token(token)
        link = None
        if dossier_id:
            try:
                with self._dossiers.open(dossier_id) as store:
                    link = store.shares.find(token_hash(token), self._clock())
            except (NotFoundError, StoreError):
                link = None
        if link is None:
            raise NotFoundError("This link is not valid, or not any more.", code="no_share")
        return dossier_id, link
