"""Tokens for programs: created by a user for themselves, shown once, invalid as soon as they are revoked.

    tokens.add(access, name, scopes, …)   (Token, its text); optionally limited to dossiers and networks
    tokens.add_app_password(access, name)  (Token, the password): for a reader app, which knows a name and a password
    tokens.all(access, user="")           also expired and revoked ones
    tokens.revoke(access, token_id)       by its user, an admin, or the token itself

`user` is for the command line, which can act for every user.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from veille.core.access.access import SCOPES, ScopeName, Way
from veille.core.access.accounts import Token, User
from veille.core.access.app_passwords import fever_key, make_app_password
from veille.core.access.networks import checked_networks
from veille.core.access.tokens import ID_BYTES, SECRET_BYTES, Proof, digest, make_token, parse_token
from veille.core.schedule import DAY
from veille.errors import ConfigError, NotFoundError
from veille.services.people.users import found, named

if TYPE_CHECKING:
    from veille.services.people.access import Access, Gate

DEFAULT_LIFE = 90 * DAY
_MAX_NAME = 200


class TokenService:
    """Creates, lists and revokes tokens."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._store = gate.accounts
        self._clock = gate.clock

    def add(  # noqa: PLR0913 - what a token is
        self,
        access: Access,
        name: str,
        scopes: Sequence[str],
        dossiers: Sequence[str] | None = None,
        life_ms: int | None = DEFAULT_LIFE,
        *,
        networks: Sequence[str] = (),
        user: str = "",
    ) -> tuple[Token, str]:
        """Create a token; its text is returned here and cannot be read again."""
        text = make_token(secrets.token_bytes(ID_BYTES), secrets.token_bytes(SECRET_BYTES))
        with self._store.writing():
            token, _ = self._made(access, text, name, scopes, dossiers, life_ms, networks=networks, user=user)
        return token, text

    def add_app_password(
        self,
        access: Access,
        name: str,
        scopes: Sequence[str] = ("read",),
        life_ms: int | None = None,
        *,
        user: str = "",
    ) -> tuple[Token, str]:
        """Create a password for a reader app, which is returned here and cannot be read again.

        It is a token whose text nobody knows, so that it is listed, limited and revoked like one.
        """
        text = make_token(secrets.token_bytes(ID_BYTES), secrets.token_bytes(SECRET_BYTES))
        password = make_app_password(secrets.choice)
        with self._store.writing():
            token, owner = self._made(access, text, name, scopes, None, life_ms, user=user)
            fever = digest(fever_key(owner.email, password))
            self._store.app_passwords.add(token.id, digest(password), fever)
        return token, password

    def _made(  # noqa: PLR0913 - what a token is
        self,
        access: Access,
        text: str,
        name: str,
        scopes: Sequence[str],
        dossiers: Sequence[str] | None,
        life_ms: int | None,
        *,
        networks: Sequence[str] = (),
        user: str,
    ) -> tuple[Token, User]:
        access.require_person()
        owner, now = self._owner(access, user), self._clock()
        if not name.strip() or len(name) > _MAX_NAME or not name.isprintable():
            raise ConfigError(f"A token's name has 1 to {_MAX_NAME} printable characters.", code="bad_name")
        proof = cast("Proof", parse_token(text))
        token = Token(
            id=proof.id,
            user_id=owner.id,
            name=name,
            scopes=_checked(scopes),
            dossiers=None if dossiers is None else self._theirs(owner, dossiers),
            created_at=now,
            expires_at=None if life_ms is None else now + life_ms,
            networks=checked_networks(networks),
        )
        self._store.tokens.add(token, digest(proof.secret))
        access.log("token.add", id=token.id, name=name, scopes=token.scopes, user=owner.email)
        return token, owner

    def all(self, access: Access, user: str = "") -> list[Token]:
        access.require_person()
        return self._store.tokens.of(self._owner(access, user).id)

    def revoke(self, access: Access, token_id: str) -> Token:
        who = access.who
        kept = self._store.tokens.get(token_id)
        allowed = who.way_id == token_id if who.way is Way.TOKEN else who.is_admin
        mine = kept is not None and who.is_person and kept[0].user_id == who.user_id
        if kept is None or not (allowed or mine):
            raise NotFoundError("There is no such token of yours; `veille tokens` lists them.", code="no_token")
        with self._store.writing():
            self._store.tokens.revoke(token_id, self._clock())
            access.log("token.revoke", id=token_id)
        return kept[0]

    def _owner(self, access: Access, user: str) -> User:
        """The user whose tokens are meant: oneself; at the command line the named user, or the only one."""
        who, users = access.who, self._store.users
        if who.way is not Way.LOCAL:
            return found(users.get(who.user_id))
        if user:
            return named(users, user)
        living = [one for one in users.all() if one.removed_at is None]
        if len(living) != 1:
            raise ConfigError("Say whose token it is, with --user; `veille users` lists them.", code="no_user")
        return living[0]

    def _theirs(self, owner: User, dossier_ids: Sequence[str]) -> tuple[str, ...]:
        for one in dossier_ids:
            if self._store.members.role(owner.id, one, self._clock()) is None:
                raise NotFoundError(
                    "There is no such dossier, or its user has no role in it: `veille members add` gives one.",
                    code="no_dossier",
                )
        return tuple(dossier_ids)


def _checked(scopes: Sequence[str]) -> tuple[ScopeName, ...]:
    unknown = sorted(set(scopes) - set(SCOPES))
    if unknown or not scopes:
        raise ConfigError(
            f"{', '.join(unknown) or 'Nothing'} is no scope; there are {', '.join(SCOPES)}.", code="bad_scope"
        )
    return tuple(scope for scope in SCOPES if scope in scopes)
